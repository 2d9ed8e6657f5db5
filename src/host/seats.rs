//! Who runs where: the CPUs of a service, and what is known of all sides once a window has closed.

use std::collections::BTreeSet;

use super::{Split, Topology};
use crate::affinity::write_list;
use crate::matrix::service::{Seat, Service};

/// The CPUs of each service of a matrix, ascending.
///
/// # Errors
/// What is wrong with the first list that is wrong.
pub fn seats_of_services(
    topology: &Topology,
    split: &Split,
    services: &[Service],
) -> Result<Vec<Vec<usize>>, String> {
    services.iter().map(|service| seat_of_service(topology, split, service)).collect()
}

fn seat_of_service(
    topology: &Topology,
    split: &Split,
    service: &Service,
) -> Result<Vec<usize>, String> {
    let list = match &service.cpus {
        Seat::Generator => return Ok(split.generator.clone()),
        Seat::Server => return Ok(split.server.clone()),
        Seat::List(list) => list,
    };
    let allowed = topology.allowed_cpus();
    match list.iter().find(|cpu| !allowed.contains(cpu)) {
        Some(cpu) => Err(format!(
            "`cpus` of service `{}` names CPU {cpu}; allowed are {}",
            service.name,
            write_list(&allowed)
        )),
        None => Ok(list.clone()),
    }
}

/// Who ran where in a window, which the machine itself does not know.
#[derive(Debug, Clone)]
pub struct Seats {
    /// The CPUs that the server's threads might use.
    pub server: BTreeSet<usize>,
    /// Those of the generator, and of all else of ours.
    pub generator: BTreeSet<usize>,
    /// CPU time of the server's tree in the window, in microseconds; or why it is not known.
    pub server_us: Result<u64, String>,
    /// Those of our threads that make the load, by number.
    pub load_threads: BTreeSet<u32>,
    /// The services.
    pub services: Vec<ServiceSeat>,
}

/// Where a service ran in a window.
#[derive(Debug, Clone)]
pub struct ServiceSeat {
    /// The CPUs that its threads might use.
    pub cpus: BTreeSet<usize>,
    /// CPU time of its tree in the window, in microseconds; or why it is not known.
    pub used_us: Result<u64, String>,
}

impl Seats {
    /// CPU time of the services on these CPUs; or why it is not known.
    pub(super) fn services_us(&self, cpus: &BTreeSet<usize>) -> Result<u64, String> {
        let here = self.services.iter().filter(|service| !service.cpus.is_disjoint(cpus));
        here.map(|service| match &service.used_us {
            Ok(_) if !service.cpus.is_subset(cpus) => {
                Err("a service may run on some of these CPUs and on others".to_owned())
            }
            used => used.clone(),
        })
        .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_services_use_is_no_others_where_it_is_known_on_which_cpus_they_ran() {
        let set = |cpus: &[usize]| cpus.iter().copied().collect::<BTreeSet<usize>>();
        let service = |cpus: &[usize], used_us| ServiceSeat { cpus: set(cpus), used_us };
        let with = |services| Seats {
            server: set(&[0]),
            generator: set(&[1]),
            server_us: Ok(0),
            load_threads: BTreeSet::new(),
            services,
        };
        let two = with(vec![service(&[0], Ok(5)), service(&[1], Ok(7))]);
        let [on_first, on_both, on_none] = [&[0][..], &[0, 1], &[2]].map(set);
        assert_eq!(two.services_us(&on_first), Ok(5));
        assert_eq!(two.services_us(&on_both), Ok(12));
        assert_eq!(two.services_us(&on_none), Ok(0));
        let wide = with(vec![service(&[0, 1], Ok(5))]);
        assert_eq!(wide.services_us(&on_both), Ok(5));
        assert!(wide.services_us(&on_first).is_err_and(|reason| reason.contains("and on others")));
        let unknown = with(vec![service(&[0], Err("no figure".to_owned()))]);
        assert_eq!(unknown.services_us(&on_first), Err("no figure".to_owned()));
    }
}
