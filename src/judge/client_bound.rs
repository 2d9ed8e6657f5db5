//! `client-bound`: the generator was the limit, so the figure is a lower bound.

use crate::outcome::{Doubt, Limit};
use crate::record::measured::Measured;
use crate::record::trial::Caveat;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    (measured.limit == Some(Limit::Generator)).then(|| Caveat {
        caveat: Doubt::ClientBound,
        detail: format!(
            "the load generator was busy for {:.0} % of the window{}; give the generator a CPU more",
            measured.generator.busy_max * 100.0,
            if measured.server.is_some() { " and the server was not, so it can do more" } else { "" }
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
