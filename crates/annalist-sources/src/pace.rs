//! Sending and receiving under the limits of time: of the whole fetch, of silence, and of slowness. What the bytes
//! mean is not known here.

use std::io;
use std::time::Duration;

use annalist_model::spec::FetchRules;
use bytes::BufMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout_at};

use crate::connection::Wire;

/// Room for one read, of a body that may be small and of one that is known to be large.
pub(crate) const READ_BYTES: usize = 16 << 10;
pub(crate) const READ_BYTES_OF_LARGE: usize = 512 << 10;

/// Why no more bytes come.
#[derive(Debug)]
pub(crate) enum Stop {
    TimeIsUp,
    Broken(io::Error),
}

/// The limits of time: of the whole fetch, of silence, and of slowness.
pub(crate) struct Pace<'a> {
    rules: &'a FetchRules,
    deadline: Instant,
    last_byte: Instant,
    /// Slowness is judged over windows of `slow_after`.
    window_end: Option<Instant>,
    window_bytes: u64,
    /// Bytes in all.
    pub(crate) received: u64,
}

impl<'a> Pace<'a> {
    pub(crate) fn new(rules: &'a FetchRules, deadline: Instant) -> Pace<'a> {
        let now = Instant::now();
        let mut pace =
            Pace { rules, deadline, last_byte: now, window_end: None, window_bytes: 0, received: 0 };
        pace.open_window(now);
        pace
    }

    fn open_window(&mut self, now: Instant) {
        self.window_bytes = 0;
        let judged = self.rules.min_bytes_per_second > 0 && !self.rules.slow_after.is_zero();
        self.window_end = if judged { now.checked_add(self.rules.slow_after) } else { None };
    }

    /// Sends all of the request.
    pub(crate) async fn send(&mut self, wire: &mut Wire, request: &[u8]) -> Result<(), Stop> {
        let sending = async {
            wire.write_all(request).await?;
            wire.flush().await
        };
        match timeout_at(self.next_stop(), sending).await {
            Ok(sent) => sent.map_err(Stop::Broken),
            Err(_) => Err(Stop::TimeIsUp),
        }
    }

    /// Receives at most `most` bytes more, `room` or so at once; zero when the server has closed.
    pub(crate) async fn receive(
        &mut self,
        wire: &mut Wire,
        tail: &mut Vec<u8>,
        room: usize,
        most: u64,
    ) -> Result<usize, Stop> {
        if tail.capacity() - tail.len() < room.min(usize::try_from(most).unwrap_or(room)) {
            tail.reserve(room);
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(tail.capacity() - tail.len());
        loop {
            self.check(Instant::now())?;
            let mut limited = (&mut *tail).limit(most);
            if let Ok(received) = timeout_at(self.next_stop(), wire.read_buf(&mut limited)).await {
                let received = received.map_err(Stop::Broken)?;
                self.last_byte = Instant::now();
                self.received += received as u64;
                self.window_bytes += received as u64;
                return Ok(received);
            }
        }
    }

    /// Waits for work of our own: the server's time stands still meanwhile.
    pub(crate) async fn apart<T>(&mut self, work: impl Future<Output = T>) -> T {
        let begun = Instant::now();
        let done = work.await;
        let taken = begun.elapsed();
        self.last_byte += taken;
        self.deadline += taken;
        self.window_end = self.window_end.and_then(|end| end.checked_add(taken));
        done
    }

    /// Whether time is up at this moment; a window that was fast enough gives way to the next.
    fn check(&mut self, now: Instant) -> Result<(), Stop> {
        if now >= self.deadline || now.duration_since(self.last_byte) >= self.rules.idle_timeout {
            return Err(Stop::TimeIsUp);
        }
        if self.window_end.is_some_and(|end| now >= end) {
            if self.window_bytes < least_bytes(self.rules.min_bytes_per_second, self.rules.slow_after) {
                return Err(Stop::TimeIsUp);
            }
            self.open_window(now);
        }
        Ok(())
    }

    fn next_stop(&self) -> Instant {
        let idle = self.last_byte.checked_add(self.rules.idle_timeout).unwrap_or(self.deadline);
        let stop = self.deadline.min(idle);
        self.window_end.map_or(stop, |end| stop.min(end))
    }
}

fn least_bytes(per_second: u64, during: Duration) -> u64 {
    let millis = u64::try_from(during.as_millis()).unwrap_or(u64::MAX);
    per_second.saturating_mul(millis) / 1000
}
