//! The kept-alive connection to one server, plain or TLS. It holds no unread bytes between two exchanges: whoever
//! leaves some behind closes it.

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use annalist_model::CanonicalUrl;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::lane::Place;

/// At most one open connection, for one host at one address. The default is none yet; dropping it closes it.
#[derive(Debug, Default)]
pub struct Connection {
    open: Option<Open>,
    /// Of the large response that came last, for as long as it is dealt with.
    pub(crate) place: Option<Place>,
}

#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) wire: Wire,
    pub(crate) address: SocketAddr,
    /// Scheme and authority.
    pub(crate) host: String,
    pub(crate) certificate_fault: Option<String>,
}

impl Connection {
    /// The response that came last is out of memory: others may come in.
    pub fn settled(&mut self) {
        self.place = None;
    }

    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The open connection if it leads there and is still alive; it is closed otherwise. An exchange takes it out and
    /// gives it back when all went well, so that one that is given up midway is never used again.
    pub(crate) async fn take(&mut self, url: &CanonicalUrl, address: SocketAddr) -> Option<Open> {
        let mut open = self.open.take().filter(|o| o.address == address && o.host == url.host())?;
        open.wire.is_quiet().await.then_some(open)
    }

    pub(crate) fn give_back(&mut self, open: Open) {
        self.open = Some(open);
    }
}

#[derive(Debug)]
pub(crate) enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Wire {
    /// Whether the server neither closed the connection nor said anything unasked.
    async fn is_quiet(&mut self) -> bool {
        let mut byte = [0];
        std::future::poll_fn(|cx| {
            let read = pin!(&mut *self).poll_read(cx, &mut ReadBuf::new(&mut byte));
            Poll::Ready(read.is_pending())
        })
        .await
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(tcp) => Pin::new(tcp).poll_read(cx, buf),
            Wire::Tls(tls) => Pin::new(tls.as_mut()).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Wire::Plain(tcp) => Pin::new(tcp).poll_write(cx, buf),
            Wire::Tls(tls) => Pin::new(tls.as_mut()).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(tcp) => Pin::new(tcp).poll_flush(cx),
            Wire::Tls(tls) => Pin::new(tls.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(tcp) => Pin::new(tcp).poll_shutdown(cx),
            Wire::Tls(tls) => Pin::new(tls.as_mut()).poll_shutdown(cx),
        }
    }
}
