import { CATALOGUE } from './catalogue.ts';
import { DRAWINGS, type Drawing } from './drawings.ts';

/** The picture of a product of the demo shop as SVG, or undefined for a slug that it does not sell. */
export function pictureOf(slug: string): string | undefined {
  const product = CATALOGUE.find((candidate) => candidate.slug === slug);
  if (product === undefined) return undefined;
  const { shape, colour, accent } = product.picture;
  const { body, label, lines }: Drawing = DRAWINGS[shape];
  const line = shape === 'mug' || shape === 'kettle' || shape === 'grinder' ? colour : accent;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="400" height="400">
<title>${product.name.replaceAll('&', '&amp;')}</title>
<rect width="400" height="400" fill="${accent}"/>
<ellipse cx="200" cy="332" rx="124" ry="16" fill="#000" opacity="0.14"/>
<path d="${body}" fill="${colour}"/>
<path d="${label ?? ''}" fill="${accent}" opacity="0.85"/>
<path d="${lines ?? ''}" fill="none" stroke="${line}" stroke-width="12" stroke-linecap="round"/>
</svg>
`;
}
