//! `logs`: the target wrote more than a byte of output for each answer.

use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::write_bytes;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let output_bytes = measured.server.as_ref()?.output_bytes?;
    (output_bytes > measured.answers()).then(|| Caveat {
        caveat: Doubt::Logs,
        detail: format!(
            "it wrote {} of output in the window, {:.1} bytes per answer: writing may cost more than serving",
            write_bytes(output_bytes),
            output_bytes as f64 / measured.answers().max(1) as f64
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::ServerUsage;

    #[test]
    fn a_byte_per_answer_is_the_bound() {
        let measured = |output_bytes| Measured {
            good: 1000,
            server: Some(ServerUsage { output_bytes, ..ServerUsage::default() }),
            ..Measured::default()
        };
        assert_eq!(judge(&measured(None)), None);
        assert_eq!(judge(&measured(Some(1000))), None);
        assert!(judge(&measured(Some(1001))).is_some());
    }
}
