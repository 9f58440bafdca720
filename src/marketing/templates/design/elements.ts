import type { DesignStyle } from './schema.ts';

/** A design's style with all fields set. */
export type FullStyle = Required<DesignStyle>;

const STACKS: Record<FullStyle['font'], string> = {
  Arial: 'Arial, Helvetica, sans-serif',
  'Courier New': 'Courier New, Courier, monospace',
  Georgia: 'Georgia, Times, serif',
  Tahoma: 'Tahoma, Geneva, sans-serif',
  'Times New Roman': 'Times New Roman, Times, serif',
  'Trebuchet MS': 'Trebuchet MS, Tahoma, sans-serif',
  Verdana: 'Verdana, Geneva, sans-serif',
};
export const fontOf = (font: FullStyle['font']): string => STACKS[font];

type Attributes = Record<string, string | number | undefined>;

/** An MJML element; omits attributes that are absent or empty. Values must be escaped already. */
export function element(name: string, attributes: Attributes, inside = ''): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => ` ${key}="${value}"`);
  return `<${name}${written.join('')}>${inside}</${name}>`;
}

/** CSS of links in texts. */
export const linkStyle = (style: FullStyle): string => `color:${style.link};text-decoration:underline`;
