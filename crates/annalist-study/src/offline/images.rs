//! What an image is, whatever its server calls it: real type, size, and a hash that stays much the same when it is scaled
//! or packed anew. Which images show the same is in `images/duplicates.rs`.

mod duplicates;
mod perceptual;
mod sightings;

use std::io::Cursor;

use annalist_read::mime;
use image::codecs::gif::GifDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::{AnimationDecoder, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use serde::{Deserialize, Serialize};

pub use duplicates::{Group, Repeat, Seen, duplicates};
pub use sightings::{Sighting, images_of};

/// More than any camera makes; beyond it an image is not unpacked.
const MOST_PIXELS: u64 = 64_000_000;
/// What unpacking may take at once.
const MOST_BYTES: u64 = 512 << 20;
/// A JPEG is gone through once for each scan; usual ones have one to fifteen.
const MOST_SCANS: usize = 100;

/// How far an image could be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    Whole,
    /// Its size is known, but it was not unpacked.
    TooLarge,
    /// It begins like an image and does not go on like one.
    Damaged,
    /// An image of a format that is not unpacked here, such as SVG.
    NotRead,
    /// Its server calls it an image, and it is something else.
    NoImage,
}

impl Condition {
    pub const fn word(self) -> &'static str {
        match self {
            Condition::Whole => "whole",
            Condition::TooLarge => "too-large",
            Condition::Damaged => "damaged",
            Condition::NotRead => "not-read",
            Condition::NoImage => "no-image",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageFacts {
    /// By content: `image/jpeg`.
    pub mime: String,
    pub width: Option<u32>,
    pub height: Option<u32>,
    /// Whether it has more than one frame. The others look at the first.
    pub animated: bool,
    pub condition: Condition,
    /// Few bits differ where two images look alike. Nothing for those without anything to see: tiny or of one colour.
    pub perceptual_hash: Option<u64>,
    /// The mean red, green and blue.
    pub tone: [u8; 3],
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is {mime}, not an image")]
pub struct NotAnImage {
    pub mime: String,
}

/// An image as it was captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSeen {
    /// The capture, `urn:uuid:…`.
    pub record: String,
    pub url: String,
    /// The media type that its server said it is.
    pub declared: String,
    pub digest: Option<String>,
    pub facts: ImageFacts,
}

/// The images of an archive, what is called one and is none, and which of them show the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Images {
    /// In the archive's order.
    pub images: Vec<ImageSeen>,
    pub groups: Vec<Group>,
}

impl ImageSeen {
    pub fn is_image(&self) -> bool {
        self.facts.condition != Condition::NoImage
    }
}

impl Images {
    pub fn of(images: Vec<ImageSeen>) -> Images {
        let seen: Vec<Seen<'_>> = images
            .iter()
            .map(|image| {
                // What is no image shows nothing, however often it is there.
                let digest = image.digest.as_deref().filter(|_| image.is_image());
                Seen { digest, facts: &image.facts }
            })
            .collect();
        let groups = duplicates(&seen);
        Images { images, groups }
    }
}

/// Formats that are known by how they begin: what is called so and does not is none.
const BEGIN_ALIKE: [&str; 8] = [
    "image/png",
    "image/jpeg",
    "image/jpg",
    "image/pjpeg",
    "image/gif",
    "image/webp",
    "image/bmp",
    "image/svg+xml",
];

/// Whether an answer is looked at: what its server calls an image, and what begins like one, whatever it is called.
pub fn may_be_image(declared: &str, start: &[u8]) -> bool {
    declared.starts_with("image/") || mime::detect(None, start).mime.starts_with("image/")
}

/// What an answer is that may be an image. `None` where nobody says that it is one, and it is none.
pub fn facts(bytes: &[u8], declared: &str) -> Option<ImageFacts> {
    let NotAnImage { mime } = match look(bytes) {
        Ok(facts) => return Some(facts),
        Err(other) => other,
    };
    if bytes.is_empty() || !declared.starts_with("image/") {
        return None;
    }
    let is_unknown = matches!(mime.as_str(), "application/octet-stream" | "text/plain");
    Some(if is_unknown && !BEGIN_ALIKE.contains(&declared) {
        ImageFacts::of(declared.to_owned(), Condition::NotRead)
    } else {
        ImageFacts::of(mime, Condition::NoImage)
    })
}

/// Looks at an image as far as it goes; whatever the bytes are, this ends soon.
pub fn look(bytes: &[u8]) -> Result<ImageFacts, NotAnImage> {
    let mime = mime::detect(None, bytes).mime;
    if !mime.starts_with("image/") {
        return Err(NotAnImage { mime });
    }
    let mut facts = ImageFacts::of(mime, Condition::NotRead);
    // The decoders are others' work, and a panic in one of them is about this image alone.
    let seen = std::panic::catch_unwind(|| {
        let mut seen = facts.clone();
        inspect(bytes, &mut seen);
        seen
    });
    match seen {
        Ok(seen) => facts = seen,
        Err(_) => facts.condition = Condition::Damaged,
    }
    Ok(facts)
}

impl ImageFacts {
    /// Of what was not unpacked.
    fn of(mime: String, condition: Condition) -> ImageFacts {
        let (width, height, animated, perceptual_hash, tone) = (None, None, false, None, [0; 3]);
        ImageFacts { mime, width, height, animated, condition, perceptual_hash, tone }
    }

    /// Whether a Content-Type says something else than the bytes.
    pub fn contradicts(&self, declared: &str) -> bool {
        let declared = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let same = |a: &str, b: &str| (self.mime == a && declared == b) || (self.mime == b && declared == a);
        !declared.is_empty()
            && self.mime != declared
            && !same("image/jpeg", "image/jpg")
            && !same("image/jpeg", "image/pjpeg")
            && !same("image/bmp", "image/x-ms-bmp")
            && !same("image/x-icon", "image/vnd.microsoft.icon")
    }
}

fn inspect(bytes: &[u8], facts: &mut ImageFacts) {
    let Some(format) = ImageFormat::from_mime_type(&facts.mime).filter(ImageFormat::reading_enabled) else {
        return;
    };
    facts.condition = Condition::Damaged;
    let reader = || ImageReader::with_format(Cursor::new(bytes), format);
    let Ok((width, height)) = reader().into_dimensions() else { return };
    (facts.width, facts.height) = (Some(width), Some(height));
    if u64::from(width) * u64::from(height) > MOST_PIXELS || scans(bytes, format) > MOST_SCANS {
        facts.condition = Condition::TooLarge;
        return;
    }
    let mut reader = reader();
    reader.limits(limits());
    let Ok(image) = reader.decode() else { return };
    facts.condition = Condition::Whole;
    facts.animated = is_animated(bytes, format);
    see(&image, facts);
}

fn see(image: &DynamicImage, facts: &mut ImageFacts) {
    let (hash, tone) = perceptual::hash(image);
    facts.perceptual_hash = hash;
    facts.tone = tone;
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    limits
}

/// How often a JPEG's decoder goes over it.
fn scans(bytes: &[u8], format: ImageFormat) -> usize {
    match format {
        ImageFormat::Jpeg => bytes.windows(2).filter(|pair| pair == b"\xFF\xDA").count(),
        _ => 1,
    }
}

fn is_animated(bytes: &[u8], format: ImageFormat) -> bool {
    let cursor = Cursor::new(bytes);
    match format {
        ImageFormat::Gif => GifDecoder::new(cursor).is_ok_and(|mut decoder| {
            decoder.set_limits(limits()).is_ok()
                && decoder.into_frames().take(2).filter(Result::is_ok).count() == 2
        }),
        ImageFormat::Png => PngDecoder::new(cursor).is_ok_and(|decoder| decoder.is_apng().unwrap_or(false)),
        ImageFormat::WebP => WebPDecoder::new(cursor).is_ok_and(|decoder| decoder.has_animation()),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
