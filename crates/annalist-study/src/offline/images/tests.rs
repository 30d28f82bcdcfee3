use std::io::Cursor;

use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, ImageFormat, Rgb, RgbImage};
use proptest::prelude::{any, proptest};

use super::{Condition, ImageFacts, ImageSeen, Images, Seen, duplicates, look, may_be_image};

/// Blobs on a gradient; others with another salt.
fn drawn(width: u32, height: u32, salt: u32) -> DynamicImage {
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |x, y| {
        let (x, y) = (x as f32 / width as f32, y as f32 / height as f32);
        let blob = |n: u32| {
            let place = |of: u32| ((salt * 37 + n * 101 + of * 53) % 97) as f32 / 97.0;
            let (far_x, far_y) = (x - place(1), y - place(2));
            if far_x * far_x + far_y * far_y < 0.04 { 20.0 + 200.0 * place(3) } else { 0.0 }
        };
        let light = (0..5).map(blob).fold(60.0 * (x + y), f32::max);
        Rgb([light as u8, (255.0 - light) as u8, (light / 2.0) as u8])
    }))
}

fn packed(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn facts(bytes: &[u8]) -> ImageFacts {
    look(bytes).unwrap()
}

#[test]
fn type_and_size_are_those_of_the_bytes() {
    for (format, mime) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp"),
        (ImageFormat::Bmp, "image/bmp"),
    ] {
        let seen = facts(&packed(&drawn(60, 40, 1), format));
        assert_eq!((seen.mime.as_str(), seen.width, seen.height), (mime, Some(60), Some(40)));
        assert_eq!(seen.condition, Condition::Whole, "{mime}");
        assert!(seen.perceptual_hash.is_some() && !seen.animated, "{mime}");
        assert_eq!(seen.contradicts("image/png"), mime != "image/png");
    }
    assert!(!facts(&packed(&drawn(60, 40, 1), ImageFormat::Jpeg)).contradicts("image/jpg; charset=binary"));
}

#[test]
fn an_image_that_is_scaled_or_packed_anew_keeps_most_of_its_hash() {
    let hash = |image: &DynamicImage, format| facts(&packed(image, format)).perceptual_hash.unwrap();
    let original = drawn(200, 150, 3);
    let first = hash(&original, ImageFormat::Png);
    let small = original.thumbnail_exact(80, 60);
    for other in [hash(&original, ImageFormat::Jpeg), hash(&small, ImageFormat::Gif)] {
        assert!((first ^ other).count_ones() <= 4, "{first:x} {other:x}");
    }
    assert!((first ^ hash(&drawn(200, 150, 4), ImageFormat::Png)).count_ones() > 10);
}

#[test]
fn a_picture_of_one_colour_is_like_no_other() {
    let flat = DynamicImage::ImageRgb8(RgbImage::from_pixel(50, 50, Rgb([200, 10, 10])));
    let seen = facts(&packed(&flat, ImageFormat::Png));
    assert_eq!((seen.perceptual_hash, seen.tone), (None, [200, 10, 10]));
}

#[test]
fn two_frames_are_an_animation() {
    let mut bytes = Vec::new();
    let frames = [1, 2].map(|salt| Frame::new(drawn(20, 20, salt).to_rgba8()));
    GifEncoder::new(&mut bytes).encode_frames(frames).unwrap();
    assert!(facts(&bytes).animated);
}

#[test]
fn a_bomb_is_told_by_its_head_and_not_unpacked() {
    // A PNG that says it is a hundred thousand pixels wide and high.
    let mut bytes = packed(&drawn(20, 20, 1), ImageFormat::Png);
    bytes[16..24].copy_from_slice(&[0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0]);
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    let seen = facts(&bytes);
    assert_eq!((seen.condition, seen.width), (Condition::TooLarge, Some(100_000)));
    // A JPEG that would be gone over a thousand times.
    let mut bytes = packed(&drawn(20, 20, 1), ImageFormat::Jpeg);
    bytes.extend(b"\xff\xda".repeat(1000));
    assert_eq!(facts(&bytes).condition, Condition::TooLarge);
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[test]
fn what_is_cut_or_no_image_is_said_to_be_so() {
    let bytes = packed(&drawn(90, 60, 2), ImageFormat::Png);
    let cut = facts(&bytes[..bytes.len() / 2]);
    assert_eq!((cut.condition, cut.width, cut.perceptual_hash), (Condition::Damaged, Some(90), None));
    assert_eq!(look(b"<html><p>Not found</p></html>").unwrap_err().mime, "text/html");
    let svg = facts(b"<svg xmlns=\"http://www.w3.org/2000/svg\"><rect/></svg>");
    assert_eq!((svg.mime.as_str(), svg.condition), ("image/svg+xml", Condition::NotRead));
}

#[test]
fn what_is_an_image_and_what_is_only_called_one_are_looked_at_whatever_the_server_says() {
    let png = packed(&drawn(90, 60, 2), ImageFormat::Png);
    let page = b"<!DOCTYPE html><title>Not found</title>".as_slice();
    for (declared, bytes, expected) in [
        ("text/html", png.as_slice(), Some(("image/png", Condition::Whole))),
        ("application/x-unknown", &png, Some(("image/png", Condition::Whole))),
        ("image/png", page, Some(("text/html", Condition::NoImage))),
        ("image/png", b"No such file", Some(("text/plain", Condition::NoImage))),
        ("image/x-xbitmap", b"#define x_width 16", Some(("image/x-xbitmap", Condition::NotRead))),
        ("text/html", page, None),
        ("image/gif", b"", None),
    ] {
        let facts = super::facts(bytes, declared).filter(|_| may_be_image(declared, bytes));
        let told = facts.as_ref().map(|facts| (facts.mime.as_str(), facts.condition));
        assert_eq!(told, expected, "{declared}");
        assert!(facts.is_none_or(|facts| facts.contradicts(declared) || facts.mime == declared));
    }
    assert!(!may_be_image("text/plain", b"BMW builds cars"));
    // Pages in the place of images are alike, and show nothing.
    let missing = |url: &str| ImageSeen {
        record: format!("urn:x:{url}"),
        url: url.to_owned(),
        declared: "image/png".to_owned(),
        digest: Some("sha1:X".to_owned()),
        facts: super::facts(page, "image/png").unwrap(),
    };
    assert_eq!(Images::of(vec![missing("http://a.test/1"), missing("http://a.test/2")]).groups, []);
}

#[test]
fn near_images_are_found_whichever_bits_differ_and_groups_do_not_chain() {
    let with = |hash: u64| ImageFacts {
        mime: "image/png".to_owned(),
        width: Some(100),
        height: Some(80),
        animated: false,
        condition: Condition::Whole,
        perceptual_hash: Some(hash),
        tone: [100; 3],
    };
    let base = 0x0123_4567_89ab_cdef_u64;
    let six = base ^ 0x0800_0401_2000_8010;
    let further = six ^ 0x0000_0000_0007_0000;
    let all = [with(base), with(six), with(further), with(!base)];
    let seen: Vec<Seen<'_>> = all.iter().map(|facts| Seen { digest: None, facts }).collect();
    assert_eq!((base ^ six).count_ones(), 6);
    let groups = duplicates(&seen);
    assert_eq!(groups.len(), 1, "{groups:?}");
    assert_eq!((groups[0].first, groups[0].repeats.len()), (0, 1), "{groups:?}");
    assert!(groups[0].repeats[0].confidence > 0.6 && !groups[0].repeats[0].same_bytes);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(start in 0..6_usize, bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let starts: [&[u8]; 6] =
            [b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xff\xd8\xff", b"GIF89a", b"RIFF\x80\0\0\0WEBPVP8 ", b"BM"];
        let _ = look(&[starts[start], bytes.as_slice()].concat());
    }

    #[test]
    fn a_changed_byte_makes_no_panic(format in 0..5_usize, place in any::<usize>(), byte in any::<u8>()) {
        let formats =
            [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp];
        let mut bytes = packed(&drawn(24, 16, 1), formats[format]);
        let place = place % bytes.len();
        bytes[place] = byte;
        let _ = look(&bytes);
    }
}
