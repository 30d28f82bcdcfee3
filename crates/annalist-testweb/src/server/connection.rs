//! One connection: requests one after the other, answers as they are wished for, proper or broken.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Shared;
use super::head::{self, Head, HeadError, LONGEST_HEAD};
use crate::answer::{Answer, Breakage, End, Framing, Request, Response};
use crate::log::Entry;

/// Between two pieces of an endless answer: some megabytes a second, so that it costs a crawler, not the machine.
const PIECE_PAUSE: Duration = Duration::from_millis(5);
const CHUNK: usize = 4_096;

/// Whether the connection can be used for the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Keep,
    Close,
}

pub(super) struct Connection<'s> {
    stream: TcpStream,
    shared: &'s Shared,
    address: SocketAddr,
    number: u64,
    /// Received and not yet used.
    received: BytesMut,
    /// What is sent next; kept to save allocations.
    sending: Vec<u8>,
}

impl<'s> Connection<'s> {
    pub(super) fn new(
        stream: TcpStream,
        shared: &'s Shared,
        address: SocketAddr,
        number: u64,
    ) -> Connection<'s> {
        // Without it small answers wait for the client's delayed acknowledgement.
        let _ = stream.set_nodelay(true);
        let received = BytesMut::with_capacity(4_096);
        Connection { stream, shared, address, number, received, sending: Vec::new() }
    }

    pub(super) async fn run(mut self) {
        // An error means that the client went: there is nobody to tell.
        while let Ok(Some((head, start_us))) = self.next_head().await {
            let mut entry = self.entry(&head, start_us);
            let outcome = self.answer(&head, &mut entry).await;
            entry.end_us = self.shared.recorder.now_us();
            self.shared.recorder.record(entry);
            if !matches!(outcome, Ok(After::Keep)) {
                return;
            }
        }
    }

    /// The next request and when its first byte was there; none at the end of the connection.
    async fn next_head(&mut self) -> io::Result<Option<(Head, u64)>> {
        if self.received.is_empty() && self.stream.read_buf(&mut self.received).await? == 0 {
            return Ok(None);
        }
        let start_us = self.shared.recorder.now_us();
        loop {
            match head::parse(&self.received) {
                Ok((head, length)) => {
                    self.received.advance(length);
                    self.skip(head.body_bytes).await?;
                    return Ok(Some((head, start_us)));
                }
                Err(HeadError::Malformed) => {
                    self.stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n").await?;
                    return Ok(None);
                }
                Err(HeadError::Partial) => {
                    if self.stream.read_buf(&mut self.received).await? == 0 {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// A request's body is of no interest.
    async fn skip(&mut self, mut bytes: usize) -> io::Result<()> {
        loop {
            let here = bytes.min(self.received.len());
            self.received.advance(here);
            bytes -= here;
            if bytes == 0 {
                return Ok(());
            }
            if self.stream.read_buf(&mut self.received).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn entry(&self, head: &Head, start_us: u64) -> Entry {
        Entry {
            start_us,
            end_us: start_us,
            address: self.address,
            connection: self.number,
            method: head.method.clone(),
            host: head.host.split(':').next().unwrap_or_default().to_ascii_lowercase(),
            target: head.target.clone(),
            status: 0,
            user_agent: head.user_agent.clone(),
        }
    }

    async fn answer(&mut self, head: &Head, entry: &mut Entry) -> io::Result<After> {
        let answer = self.think(head);
        if !self.shared.options.latency.is_zero() {
            self.pause(self.shared.options.latency).await?;
        }
        match answer {
            Answer::Proper(response) => {
                entry.status = response.status;
                self.send(head, &response).await
            }
            Answer::Broken(breakage) => self.misbehave(breakage).await,
        }
    }

    fn think(&self, head: &Head) -> Answer {
        if head.method != "GET" && head.method != "HEAD" {
            return Response::new(405, "text/plain", "only GET and HEAD\n").with("Allow", "GET, HEAD").into();
        }
        let shared = self.shared;
        let host = shared.world.host(&head.host);
        let visits = host.and_then(|host| shared.visits.get(host.number));
        let attempt = match host {
            Some(host) if host.flaky => shared.recorder.attempt(host.number, &head.target),
            _ => 0,
        };
        shared.world.answer(&Request {
            host: &head.host,
            target: &head.target,
            compression: head.compression,
            if_none_match: head.if_none_match.as_deref(),
            if_modified_since: head.if_modified_since.as_deref(),
            visit: visits.map_or(0, |visits| visits.fetch_add(1, Ordering::Relaxed)),
            attempt,
        })
    }

    async fn send(&mut self, head: &Head, response: &Response) -> io::Result<After> {
        self.sending.clear();
        response.push_head(&mut self.sending);
        if head.method != "HEAD" && response.status != 304 {
            match response.framing {
                Framing::Length => self.sending.extend_from_slice(&response.body),
                Framing::Chunked => push_chunks(&mut self.sending, &response.body),
            }
        }
        self.stream.write_all(&self.sending).await?;
        if head.keep {
            return Ok(After::Keep);
        }
        self.stream.shutdown().await?;
        Ok(After::Close)
    }

    async fn misbehave(&mut self, breakage: Breakage) -> io::Result<After> {
        match breakage {
            Breakage::Silent => loop {
                self.pause(Duration::from_secs(3600)).await?;
            },
            Breakage::Drip { head, byte } => {
                self.stream.write_all(&head).await?;
                loop {
                    self.pause(self.shared.options.drip).await?;
                    self.stream.write_all(&[byte]).await?;
                }
            }
            Breakage::Endless { start, piece } => {
                self.stream.write_all(&start).await?;
                loop {
                    self.stream.write_all(&piece).await?;
                    self.pause(PIECE_PAUSE).await?;
                }
            }
            Breakage::Bytes { bytes, end } => {
                self.stream.write_all(&bytes).await?;
                self.finish(end).await
            }
        }
    }

    async fn finish(&mut self, end: End) -> io::Result<After> {
        match end {
            End::Keep => Ok(After::Keep),
            End::Close => self.stream.shutdown().await.map(|()| After::Close),
            End::Reset => self.stream.set_zero_linger().map(|()| After::Close),
        }
    }

    /// Waits, but not for a client that has gone: its request ends when it goes.
    async fn pause(&mut self, duration: Duration) -> io::Result<()> {
        let waiting = tokio::time::sleep(duration);
        tokio::pin!(waiting);
        loop {
            tokio::select! {
                () = &mut waiting => return Ok(()),
                read = self.stream.read_buf(&mut self.received) => {
                    if read? == 0 || self.received.len() > LONGEST_HEAD {
                        return Err(io::ErrorKind::ConnectionAborted.into());
                    }
                }
            }
        }
    }
}

fn push_chunks(out: &mut Vec<u8>, body: &[u8]) {
    for chunk in body.chunks(CHUNK) {
        out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
}
