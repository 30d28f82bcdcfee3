//! Small valid pictures, each host's in a colour of its own.

use crate::answer::Response;
use crate::layout::Host;

const SIDE: usize = 8;

pub(super) fn image(host: &Host, image: usize) -> Response {
    let colour = colour(host, image);
    if image.is_multiple_of(2) {
        Response::new(200, "image/png", png(colour))
    } else {
        Response::new(200, "image/gif", gif(colour))
    }
}

/// A GIF under the name of an icon, as many servers have it.
pub(super) fn icon(host: &Host) -> Response {
    Response::new(200, "image/x-icon", gif(colour(host, usize::MAX)))
}

fn colour(host: &Host, image: usize) -> [u8; 3] {
    let [red, green, blue, ..] =
        crate::dice::Dice::new(&[0xc0, host.number as u64, image as u64]).next().to_le_bytes();
    [red, green, blue]
}

fn png(colour: [u8; 3]) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend_from_slice(&(SIDE as u32).to_be_bytes());
    header.extend_from_slice(&(SIDE as u32).to_be_bytes());
    // Eight bits per colour, red green blue, standard compression and filter, not interlaced.
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    let mut rows = Vec::new();
    for _ in 0..SIDE {
        rows.push(0);
        rows.extend(colour.iter().copied().cycle().take(3 * SIDE));
    }
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    push_chunk(&mut bytes, b"IHDR", &header);
    push_chunk(&mut bytes, b"IDAT", &zlib(&rows));
    push_chunk(&mut bytes, b"IEND", b"");
    bytes
}

fn push_chunk(bytes: &mut Vec<u8>, kind: &[u8; 4], content: &[u8]) {
    bytes.extend_from_slice(&(content.len() as u32).to_be_bytes());
    let start = bytes.len();
    bytes.extend_from_slice(kind);
    bytes.extend_from_slice(content);
    let checksum = libdeflater::crc32(&bytes[start..]);
    bytes.extend_from_slice(&checksum.to_be_bytes());
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::fastest());
    let mut packed = vec![0; compressor.zlib_compress_bound(content.len())];
    let length = compressor.zlib_compress(content, &mut packed).unwrap_or(0);
    packed.truncate(length);
    packed
}

/// One pixel, two colours in the table.
fn gif(colour: [u8; 3]) -> Vec<u8> {
    let mut bytes = b"GIF89a\x01\x00\x01\x00\x80\x00\x00".to_vec();
    bytes.extend_from_slice(&colour);
    bytes.extend_from_slice(&[255, 255, 255]);
    bytes.extend_from_slice(b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;");
    bytes
}
