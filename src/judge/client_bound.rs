//! `client-bound`: the generator was the limit, so the figure is a lower bound.

use crate::outcome::{Doubt, Limit};
use crate::record::measured::Measured;
use crate::record::trial::Caveat;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    (measured.limit == Some(Limit::Generator)).then(|| Caveat {
        caveat: Doubt::ClientBound,
        detail: format!(
            "the load generator was busy for {:.0} % of the window and the server was not: the server can do \
             more; give the generator a CPU more in `[cpus]`",
            measured.generator.busy_max * 100.0
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_generator_that_alone_was_the_limit_makes_a_lower_bound() {
        for (limit, expected) in [
            (Some(Limit::Generator), true),
            (Some(Limit::Both), false),
            (Some(Limit::Server), false),
            (None, false),
        ] {
            let measured = Measured { limit, ..Measured::default() };
            assert_eq!(judge(&measured).is_some(), expected, "{limit:?}");
        }
    }
}
