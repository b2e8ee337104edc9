//! Checks of the ledger against itself and against the bank.

use std::time::Duration;

use domain::Mode;

use super::{Examination, Finding, Problem};

/// Period of payments that are compared with the bank.
const PERIOD: Duration = Duration::from_secs(3 * 24 * 60 * 60);

impl Examination<'_> {
    pub(super) async fn check_money(&mut self) -> anyhow::Result<()> {
        for defect in ledger::verify(&self.db).await?.defects {
            self.add(Finding::new(Problem::LedgerDefect, "ledger", defect));
        }
        for mode in [Mode::Live, Mode::Test] {
            if self.banks.takes_payments(mode) {
                self.check_bank(mode).await;
            }
        }
        Ok(())
    }

    async fn check_bank(&mut self, mode: Mode) {
        let (since, now) = (self.now.minus(PERIOD), self.now);
        let compared = if self.fix {
            activities::reconcile_bank(&self.db, &self.banks, mode, since, now).await
        } else {
            activities::inspect_bank(&self.db, &self.banks, mode, since, now).await
        };
        let report = match compared {
            Ok(report) => report,
            Err(error) => {
                self.add(Finding::new(Problem::BankUnavailable, mode.as_str(), error.to_string()));
                return;
            }
        };
        for payment in report.credited {
            let finding = Finding::new(Problem::BankPaymentNotCredited, payment, mode.as_str());
            let repair = self.fix.then(|| "credited".to_owned());
            self.add(finding.repaired(Ok(repair)));
        }
        for defect in report.defects {
            self.add(Finding::new(Problem::BankDefect, mode.as_str(), defect));
        }
    }
}
