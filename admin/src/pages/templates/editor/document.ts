/** The document of a block e-mail and its operations: pure functions, each returns a new document. */

import type { paths } from '../../../api/schema.ts';

type SentDesign = paths['/templates']['post']['requestBody']['content']['application/json']['design'];

export const BLOCK_TYPES = [
  'text',
  'picture',
  'button',
  'columns',
  'product',
  'product_grid',
  'coupon',
  'social',
  'divider',
  'spacer',
  'footer',
] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

export interface DesignProduct {
  name: string;
  price?: string;
  picture?: string;
  url?: string;
}
export interface SocialLink {
  network: string;
  url: string;
}
export interface Block {
  id: string;
  type: BlockType;
  text?: string;
  style?: string;
  align?: string;
  color?: string;
  background?: string;
  url?: string;
  src?: string;
  alt?: string;
  width?: number;
  height?: number;
  product?: DesignProduct;
  products?: DesignProduct[];
  per_row?: number;
  source?: string;
  category?: string;
  count?: number;
  fallback?: string;
  code?: string;
  links?: SocialLink[];
  address?: string;
  unsubscribe?: string;
  columns?: { width?: number; blocks: Block[] }[];
}
export interface DesignStyle {
  font?: string;
  heading_font?: string;
  width?: number;
  background?: string;
  canvas?: string;
  text?: string;
  link?: string;
  button?: string;
  button_text?: string;
}
export interface Design {
  style: DesignStyle;
  blocks: Block[];
}

export const DEFAULT_STYLE: Required<DesignStyle> = {
  font: 'Arial',
  heading_font: 'Arial',
  width: 600,
  background: '#f2f3f7',
  canvas: '#ffffff',
  text: '#22252b',
  link: '#2f4bbf',
  button: '#2f4bbf',
  button_text: '#ffffff',
};

/** The position of a block: in the e-mail itself, or in a column of a block. */
export interface Place {
  /** null: not in a column. */
  inside: { id: string; column: number } | null;
  index: number;
}

export function newId(): string {
  return crypto
    .getRandomValues(new Uint32Array(2))
    .reduce((text, n) => text + n.toString(36), 'b')
    .slice(0, 16);
}

/** The design in a request body. The editor puts no columns into columns, and offers only the API's values for `style` and the like. */
export const sentDesign = (design: Design) => design as NonNullable<SentDesign>;

/** A document of the API with an id for every block. */
export function withIds(design: { style?: DesignStyle; blocks: readonly object[] }): Design {
  const known = new Set<string>();
  const one = (given: object): Block => {
    const block = given as Block;
    const id = block.id !== undefined && !known.has(block.id) ? block.id : newId();
    known.add(id);
    const columns = block.columns?.map((column) => ({ ...column, blocks: column.blocks.map(one) }));
    return { ...block, id, ...(columns === undefined ? {} : { columns }) };
  };
  return { style: design.style ?? {}, blocks: design.blocks.map(one) };
}

export function placeOf({ blocks }: Design, id: string): Place | null {
  const index = blocks.findIndex((block) => block.id === id);
  if (index >= 0) return { inside: null, index };
  for (const block of blocks) {
    for (const [column, { blocks: inner }] of (block.columns ?? []).entries()) {
      const at = inner.findIndex((one) => one.id === id);
      if (at >= 0) return { inside: { id: block.id, column }, index: at };
    }
  }
  return null;
}

export function listAt({ blocks }: Design, { inside }: Pick<Place, 'inside'>): Block[] {
  if (inside === null) return blocks;
  return blocks.find(({ id }) => id === inside.id)?.columns?.[inside.column]?.blocks ?? [];
}

export function blockOf(design: Design, id: string): Block | null {
  const place = placeOf(design, id);
  return place === null ? null : (listAt(design, place)[place.index] ?? null);
}

function withList(design: Design, { inside }: Pick<Place, 'inside'>, change: (blocks: Block[]) => Block[]): Design {
  if (inside === null) return { ...design, blocks: change(design.blocks) };
  const blocks = design.blocks.map((block) =>
    block.id !== inside.id
      ? block
      : {
          ...block,
          columns: (block.columns ?? []).map((column, i) =>
            i === inside.column ? { ...column, blocks: change(column.blocks) } : column,
          ),
        },
  );
  return { ...design, blocks };
}

/** Columns cannot contain columns. */
export function mayStand(type: BlockType, place: Pick<Place, 'inside'>): boolean {
  return type !== 'columns' || place.inside === null;
}

export function inserted(design: Design, block: Block, place: Place): Design {
  if (!mayStand(block.type, place)) return design;
  return withList(design, place, (blocks) => blocks.toSpliced(place.index, 0, block));
}

export function removed(design: Design, id: string): Design {
  const place = placeOf(design, id);
  return place === null ? design : withList(design, place, (blocks) => blocks.toSpliced(place.index, 1));
}

export function patched(design: Design, id: string, patch: Partial<Block>): Design {
  const place = placeOf(design, id);
  if (place === null) return design;
  return withList(design, place, (blocks) => blocks.map((block) => (block.id === id ? { ...block, ...patch } : block)));
}

/** Puts a block elsewhere; the target index is counted before the block is removed. */
export function moved(design: Design, id: string, to: Place): Design {
  const from = placeOf(design, id);
  const block = blockOf(design, id);
  if (from === null || block === null || !mayStand(block.type, to) || to.inside?.id === id) return design;
  const same = from.inside?.id === to.inside?.id && from.inside?.column === to.inside?.column;
  const index = same && from.index < to.index ? to.index - 1 : to.index;
  if (same && index === from.index) return design;
  return inserted(removed(design, id), block, { ...to, index });
}

/** Shifts it one place up or down among its siblings. */
export function shifted(design: Design, id: string, by: -1 | 1): Design {
  const place = placeOf(design, id);
  if (place === null) return design;
  const index = place.index + (by < 0 ? -1 : 2);
  if (index < 0 || index > listAt(design, place).length) return design;
  return moved(design, id, { ...place, index });
}

export function duplicated(design: Design, id: string): { design: Design; id: string } {
  const place = placeOf(design, id);
  const block = blockOf(design, id);
  if (place === null || block === null) return { design, id };
  const copy = { ...withIds({ blocks: [block] }).blocks[0]!, id: newId() };
  copy.columns = copy.columns?.map((column) => ({
    ...column,
    blocks: column.blocks.map((inner) => ({ ...inner, id: newId() })),
  }));
  if (copy.columns === undefined) delete copy.columns;
  return { design: inserted(design, copy, { ...place, index: place.index + 1 }), id: copy.id };
}
