//! A hash of what an image looks like: the signs of its slowest waves. Scaling and packing change few of them.

use std::f32::consts::PI;
use std::sync::LazyLock;

use image::{DynamicImage, imageops};

/// An image is looked at in so many rows and columns.
const SIDE: usize = 32;
/// Waves that are taken in each direction.
const WAVES: usize = 8;
/// Smaller images are dots and lines that pages are laid out with.
const LEAST_SIDE: u32 = 12;
/// Mean distance of brightness from its mean, of 255, below which there is nothing to see.
const LEAST_CONTRAST: f32 = 2.0;

static COSINES: LazyLock<[[f32; SIDE]; WAVES]> = LazyLock::new(|| {
    let mut table = [[0.0; SIDE]; WAVES];
    for (wave, row) in table.iter_mut().enumerate() {
        for (place, value) in row.iter_mut().enumerate() {
            *value = ((2 * place + 1) as f32 * wave as f32 * PI / (2 * SIDE) as f32).cos();
        }
    }
    table
});

/// The hash, where there is something to see, and the mean colour.
pub(super) fn hash(image: &DynamicImage) -> (Option<u64>, [u8; 3]) {
    let small = imageops::thumbnail(&image.to_rgba8(), SIDE as u32, SIDE as u32);
    let mut tone = [0.0_f32; 3];
    let mut light = [[0.0_f32; SIDE]; SIDE];
    for (x, y, pixel) in small.enumerate_pixels() {
        let [red, green, blue, alpha] = pixel.0.map(f32::from);
        // On a white page.
        let colour = [red, green, blue].map(|value| 255.0 + (value - 255.0) * alpha / 255.0);
        for (sum, value) in tone.iter_mut().zip(colour) {
            *sum += value / (SIDE * SIDE) as f32;
        }
        if let Some(place) = light.get_mut(y as usize).and_then(|row| row.get_mut(x as usize)) {
            *place = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
        }
    }
    let bright = image.width().min(image.height()) >= LEAST_SIDE && contrast(&light) >= LEAST_CONTRAST;
    (bright.then(|| signs(&light)), tone.map(|value| value.round() as u8))
}

fn contrast(light: &[[f32; SIDE]; SIDE]) -> f32 {
    let all = || light.iter().flatten();
    let count = (SIDE * SIDE) as f32;
    let mean = all().sum::<f32>() / count;
    all().map(|value| (value - mean).abs()).sum::<f32>() / count
}

/// A bit for each wave that is stronger than half of them; the mean brightness is none.
fn signs(light: &[[f32; SIDE]; SIDE]) -> u64 {
    let waves = waves(light);
    let mut sorted: Vec<f32> = waves.iter().skip(1).copied().collect();
    sorted.sort_by(f32::total_cmp);
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    waves
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, wave)| **wave > middle)
        .fold(0, |hash, (place, _)| hash | 1 << place)
}

/// The slowest waves of the cosine transform: first along the rows, then along the columns.
fn waves(light: &[[f32; SIDE]; SIDE]) -> [f32; WAVES * WAVES] {
    let along = light.map(|row| {
        COSINES.map(|cosine| row.iter().zip(cosine).map(|(value, factor)| value * factor).sum::<f32>())
    });
    let mut all = [0.0; WAVES * WAVES];
    for (place, wave) in all.iter_mut().enumerate() {
        let (down, across) = (place / WAVES, place % WAVES);
        let factors = COSINES.get(down).into_iter().flatten();
        *wave = along.iter().zip(factors).map(|(row, factor)| row[across] * factor).sum();
    }
    all
}
