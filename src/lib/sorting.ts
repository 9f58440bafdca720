/** Ascending or descending. */
export type Direction = 'asc' | 'desc';

/** Values of a list's parameter `sort`: by age, and by each of its keys in both directions. */
export type SortName<Key extends string> = 'newest' | 'oldest' | `${Key}_${Direction}`;

/** An order of a list; null: by age, which is the order of the ids. */
export interface Sort<Key extends string> {
  key: Key | null;
  direction: Direction;
}

/** The values of the parameter `sort`, for the schema. */
export function sortNames<const Keys extends readonly string[]>(...keys: Keys): readonly SortName<Keys[number]>[] {
  return ['newest', 'oldest', ...keys.flatMap((key: Keys[number]) => [`${key}_asc`, `${key}_desc`] as const)];
}

/** Returns the order that a value of the parameter names; newest first by default. */
export function sortOf<Key extends string>(name: SortName<Key> | undefined): Sort<Key> {
  if (name === undefined || name === 'newest') return { key: null, direction: 'desc' };
  if (name === 'oldest') return { key: null, direction: 'asc' };
  const end = name.lastIndexOf('_');
  return { key: name.slice(0, end) as Key, direction: name.slice(end + 1) as Direction };
}

/** Whether it is a list's default order. */
export function isDefault({ key, direction }: Sort<string>): boolean {
  return key === null && direction === 'desc';
}
