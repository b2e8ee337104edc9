//! Does several pieces of work at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// What a worker tells: the share of a piece that is done, or its result.
enum Message<T> {
    Progress(usize, f32),
    Done(usize, T),
}

/// Reports the share of one piece that is done, 0 to 1.
pub(super) struct Report<'a, T> {
    piece: usize,
    sender: &'a Sender<Message<T>>,
}

impl<T> Report<'_, T> {
    pub(super) fn progress(&self, share: f32) {
        // Nobody listens any more after a panic.
        let _ = self.sender.send(Message::Progress(self.piece, share));
    }
}

/// Does `count` pieces of work, at most `concurrency` at the same time, and returns their results in order.
/// Calls `progress`, on the thread of the caller, with the share of all pieces that is done. After a
/// piece without a success, no other is begun, and its own place ends the results.
///
/// # Panics
/// Panics if a piece does.
pub(super) fn map<T: Send, E: Send>(
    count: usize,
    concurrency: usize,
    work: impl Fn(usize, &Report<Result<T, E>>) -> Result<T, E> + Sync,
    progress: &dyn Fn(f32),
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let mut results: Vec<Option<Result<T, E>>> = (0..count).map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..concurrency.clamp(1, count.max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= count {
                        break;
                    }
                    let result = work(piece, &Report { piece, sender: &sender });
                    if result.is_err() {
                        next.store(count, Ordering::Relaxed);
                    }
                    let _ = sender.send(Message::Done(piece, result));
                }
            });
        }
        drop(sender);
        let mut shares = vec![0.0_f32; count];
        for message in receiver {
            let (piece, share) = match message {
                Message::Progress(piece, share) => (piece, share.clamp(0.0, 1.0)),
                Message::Done(piece, result) => {
                    results[piece] = Some(result);
                    (piece, 1.0)
                }
            };
            shares[piece] = share;
            progress(shares.iter().sum::<f32>() / count as f32);
        }
    });
    // Pieces are begun in order, so those without a result come after a failed one.
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_keep_their_order_whichever_piece_ends_first() {
        let both = Barrier::new(2);
        let squares = map(
            6,
            2,
            |piece, _| {
                // Two pieces run at once, or this waits for ever.
                both.wait();
                Ok::<_, ()>(piece * piece)
            },
            &|_| (),
        );
        assert_eq!(squares, Ok(vec![0, 1, 4, 9, 16, 25]));
        assert_eq!(map(0, 2, |piece, _| Ok::<_, ()>(piece), &|_| ()), Ok(Vec::new()));
    }

    #[test]
    fn the_first_failure_is_returned_and_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let failed = map(
            100,
            1,
            |piece, _| {
                begun.fetch_add(1, Ordering::Relaxed);
                if piece == 3 { Err(piece) } else { Ok(()) }
            },
            &|_| (),
        );
        assert_eq!(failed, Err(3));
        assert_eq!(begun.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn progress_grows_up_to_the_whole() {
        let reports = RefCell::new(Vec::new());
        let work = |_, report: &Report<Result<(), ()>>| {
            report.progress(0.5);
            Ok(())
        };
        map(4, 2, work, &|done| reports.borrow_mut().push(done)).expect("no piece fails");
        let reports = reports.into_inner();
        assert!(reports.is_sorted() && reports.len() == 8, "{reports:?}");
        assert!((reports[7] - 1.0).abs() < 1e-6, "{reports:?}");
    }
}
