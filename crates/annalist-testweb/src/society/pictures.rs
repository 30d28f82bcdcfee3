//! Pictures that are seen in many places: the same bytes again, in another size, in another format, under a wrong name.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde::Serialize;

use super::Society;
use crate::answer::Response;
use crate::dice::Dice;
use crate::layout::Host;

/// Addresses for each picture, in the mean.
const ADDRESSES: usize = 3;
const WIDTH: u32 = 120;
const HEIGHT: u32 = 90;
const SHAPES: usize = 7;

/// An address of a picture. Those with the same number show the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PictureTruth {
    pub url: String,
    pub picture: usize,
    /// What it really is: `image/jpeg`.
    pub mime: &'static str,
    /// What its Content-Type says.
    pub declared: &'static str,
    pub width: u32,
    pub height: u32,
}

/// A picture in one of its shapes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Print {
    pub(crate) picture: usize,
    format: ImageFormat,
    quality: u8,
    pub(crate) width: u32,
    pub(crate) height: u32,
    honest: bool,
}

/// Format, quality of a JPEG, size in percent.
const PRINTS: [(ImageFormat, u8, u32); 9] = [
    (ImageFormat::Png, 0, 100),
    (ImageFormat::Png, 0, 100),
    (ImageFormat::Jpeg, 85, 100),
    (ImageFormat::Png, 0, 60),
    (ImageFormat::Jpeg, 60, 150),
    (ImageFormat::Gif, 0, 100),
    (ImageFormat::Bmp, 0, 80),
    (ImageFormat::WebP, 0, 100),
    (ImageFormat::Jpeg, 40, 70),
];

impl Society {
    /// What an image of a host shows, of all the images there are.
    pub(crate) fn print(&self, host: &Host, image: usize) -> Print {
        let mut dice = Dice::new(&[self.seed, 0x91c7, host.number as u64, image as u64]);
        let (format, quality, percent) = PRINTS[dice.below(PRINTS.len())];
        Print {
            picture: dice.below((self.images / ADDRESSES).max(1)),
            format,
            quality,
            width: WIDTH * percent / 100,
            height: HEIGHT * percent / 100,
            honest: dice.below(2) == 0,
        }
    }

    pub(crate) fn picture(&self, host: &Host, image: usize) -> Response {
        let print = self.print(host, image);
        Response::new(200, print.declared(image), self.bytes(print))
    }

    fn bytes(&self, print: Print) -> Vec<u8> {
        let drawn = DynamicImage::ImageRgb8(self.draw(print));
        let mut bytes = Cursor::new(Vec::new());
        let written = match print.format {
            ImageFormat::Jpeg => {
                drawn.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, print.quality))
            }
            format => drawn.write_to(&mut bytes, format),
        };
        // Memory takes all that is written; an empty body would be a broken picture.
        written.map(|()| bytes.into_inner()).unwrap_or_default()
    }

    /// A gradient with some ellipses on it: the same to the eye in every size.
    fn draw(&self, print: Print) -> RgbImage {
        let mut dice = Dice::new(&[self.seed, 0xd4a3, print.picture as u64]);
        let mut colour = || [0; 3].map(|_: u8| 20.0 + 215.0 * dice.unit());
        let ends = [colour(), colour()];
        let colours: Vec<[f64; 3]> = (0..SHAPES).map(|_| colour()).collect();
        let shapes: Vec<[f64; 4]> = (0..SHAPES)
            .map(|_| [dice.unit(), dice.unit(), 0.08 + 0.25 * dice.unit(), 0.08 + 0.25 * dice.unit()])
            .collect();
        RgbImage::from_fn(print.width, print.height, |x, y| {
            let (x, y) = (
                (f64::from(x) + 0.5) / f64::from(print.width),
                (f64::from(y) + 0.5) / f64::from(print.height),
            );
            let inside = shapes.iter().rposition(|[left, top, wide, high]| {
                ((x - left) / wide).powi(2) + ((y - top) / high).powi(2) < 1.0
            });
            let along = (x + y) / 2.0;
            let gradient = [0, 1, 2].map(|c| ends[0][c] * (1.0 - along) + ends[1][c] * along);
            let pixel = inside.and_then(|shape| colours.get(shape)).unwrap_or(&gradient);
            Rgb(pixel.map(|value| value as u8))
        })
    }
}

impl Print {
    pub(crate) fn mime(self) -> &'static str {
        self.format.to_mime_type()
    }

    /// Half of them are called what their address says, whatever they are.
    pub(crate) fn declared(self, image: usize) -> &'static str {
        match (self.honest, image.is_multiple_of(2)) {
            (true, _) => self.mime(),
            (false, true) => "image/png",
            (false, false) => "image/gif",
        }
    }
}
