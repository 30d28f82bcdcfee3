//! TLS to servers: strict, or, where the spec asks to archive servers with bad certificates, lenient with the fault
//! on record. Only HTTP/1.1 is spoken, so no other protocol is offered.

use std::sync::{Arc, OnceLock};

use annalist_model::spec::BadCertificates;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::{FetchError, SetupError};

#[derive(Debug)]
pub(crate) struct Tls {
    strict: Arc<WebPkiServerVerifier>,
    config: Arc<ClientConfig>,
    policy: BadCertificates,
}

impl Tls {
    pub(crate) fn new(policy: BadCertificates) -> Result<Tls, SetupError> {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let strict = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .map_err(|e| Error::General(e.to_string()))?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(&strict) as Arc<dyn ServerCertVerifier>)
            .with_no_client_auth();
        Ok(Tls { strict, config: Arc::new(config), policy })
    }

    /// The stream, and what was wrong with the certificate if that was let pass.
    pub(crate) async fn connect(
        &self,
        name: &str,
        tcp: TcpStream,
    ) -> Result<(TlsStream<TcpStream>, Option<String>), FetchError> {
        let server_name = ServerName::try_from(name.trim_matches(['[', ']']).to_owned())
            .map_err(|_| FetchError::Tls(format!("{name} is no name a certificate could bear")))?;
        match self.policy {
            BadCertificates::Refuse => {
                let connector = TlsConnector::from(Arc::clone(&self.config));
                let stream = connector.connect(server_name, tcp).await.map_err(failure)?;
                Ok((stream, None))
            }
            BadCertificates::Archive => {
                let lenient = Arc::new(Lenient { strict: Arc::clone(&self.strict), fault: OnceLock::new() });
                let mut config = ClientConfig::clone(&self.config);
                config
                    .dangerous()
                    .set_certificate_verifier(Arc::clone(&lenient) as Arc<dyn ServerCertVerifier>);
                let connector = TlsConnector::from(Arc::new(config));
                let stream = connector.connect(server_name, tcp).await.map_err(failure)?;
                Ok((stream, lenient.fault.get().cloned()))
            }
        }
    }
}

fn failure(error: std::io::Error) -> FetchError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(fault)) => FetchError::Certificate(fault.to_string()),
        Some(other) => FetchError::Tls(other.to_string()),
        None => FetchError::Tls(error.to_string()),
    }
}

/// Accepts what the strict verifier refuses, and remembers why it did. One for each connection.
#[derive(Debug)]
struct Lenient {
    strict: Arc<WebPkiServerVerifier>,
    fault: OnceLock<String>,
}

impl Lenient {
    fn excuse<T>(&self, verdict: Result<T, Error>, accepted: T) -> Result<T, Error> {
        Ok(verdict.unwrap_or_else(|error| {
            // The first fault is the one that counts.
            let _ = self.fault.set(error.to_string());
            accepted
        }))
    }
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict =
            self.strict.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        self.excuse(verdict, ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verdict = self.strict.verify_tls12_signature(message, cert, dss);
        self.excuse(verdict, HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verdict = self.strict.verify_tls13_signature(message, cert, dss);
        self.excuse(verdict, HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.strict.supported_verify_schemes()
    }
}
