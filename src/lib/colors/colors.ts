const BLACK = '#000000';
const WHITE = '#ffffff';

/** Returns black or white, whichever is more legible on a color given as #rrggbb: their contrast by WCAG is at least 4.58. */
export function readableOn(color: string): typeof BLACK | typeof WHITE {
  const luminance = luminanceOf(color);
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? BLACK : WHITE;
}

/** Returns the contrast of two colors by WCAG: 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
