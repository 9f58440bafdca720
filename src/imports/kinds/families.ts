import type { OptionValue } from '../../commerce/products/contract.ts';
import { MAX_VALUES, MAX_VARIANTS } from '../../commerce/products/service.ts';
import { OPTION_FIELDS } from '../formats/format.ts';
import { MAX_PARENTS } from '../formats/inheritance.ts';
import { RowFault, shown } from './values.ts';

const MAX_OPTIONS = 5;
const MAX_LENGTH = 60;

/** What the variants of one product that were read so far have in common. */
export class Family {
  private names: string[] = [];
  private readonly values: Set<string>[] = [];
  private count = 0;

  /** Whether none of its variants has been read. */
  get isNew(): boolean {
    return this.count === 0;
  }

  nameAt(i: number): string | undefined {
    return this.names[i];
  }

  /** Returns the values in the order of the options, with the names as the first variant has them. Throws RowFault. */
  admit(given: readonly OptionValue[]): OptionValue[] {
    checkOptions(given);
    if (this.isNew) this.names = given.map(({ name }) => name);
    const known = this.names;
    const values = known.map((name) => given.find((one) => folded(one.name) === folded(name))?.value);
    if (values.length !== given.length || values.includes(undefined)) {
      const [has, needs] = [given.map(({ name }) => name), known].map((names) => shown(names.join(', ')));
      throw new RowFault(null, `has the options «${has}», and its product the options «${needs}»`);
    }
    if (this.count >= MAX_VARIANTS) throw new RowFault(null, `a product has at most ${MAX_VARIANTS} variants`);
    for (const [i, value] of values.entries()) {
      this.values[i] ??= new Set();
      if (this.values[i].size >= MAX_VALUES && !this.values[i].has(value!)) {
        throw new RowFault(OPTION_FIELDS[i]!.value, `«${known[i]}» has more than ${MAX_VALUES} values`);
      }
    }
    for (const [i, value] of values.entries()) this.values[i]!.add(value!);
    this.count++;
    return known.map((name, i) => ({ name, value: values[i]! }));
  }
}

/** The products with variants of a file, as far as it has been read. */
export class Families {
  private readonly families = new Map<string, Family>();
  /** The slugs made for parents, by the keys of these. */
  private readonly slugs = new Map<string, string>();
  /** How many parents had the same slug made. */
  private readonly counts = new Map<string, number>();

  of(key: string): Family {
    const known = this.families.get(key) ?? new Family();
    if (!this.families.has(key)) checkSize(this.families.size);
    this.families.set(key, known);
    return known;
  }

  /** Returns the slug made for a parent, numbered if others of the file had the same one made before it. */
  slugFor(key: string, made: string): string {
    const known = this.slugs.get(key);
    if (known !== undefined) return known;
    checkSize(this.slugs.size);
    const number = (this.counts.get(made) ?? 0) + 1;
    const slug = number === 1 ? made : `${made}-${number}`;
    this.counts.set(made, number);
    this.slugs.set(key, slug);
    return slug;
  }
}

/** Their options are kept in memory until the file ends. */
function checkSize(size: number): void {
  if (size >= MAX_PARENTS) {
    throw new RowFault(
      null,
      `a file has at most ${MAX_PARENTS} products with variants: import the others from another file`,
    );
  }
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function checkOptions(given: readonly OptionValue[]): void {
  if (given.length > MAX_OPTIONS) throw new RowFault(null, `a product has at most ${MAX_OPTIONS} options`);
  const names = given.map(({ name }) => folded(name));
  for (const [i, { name, value }] of given.entries()) {
    const { name: nameField, value: valueField } = OPTION_FIELDS[i]!;
    if (name.length > MAX_LENGTH) throw new RowFault(nameField, `has at most ${MAX_LENGTH} characters`);
    if (value.length > MAX_LENGTH) throw new RowFault(valueField, `has at most ${MAX_LENGTH} characters`);
    if (names.indexOf(names[i]!) !== i) throw new RowFault(nameField, `the option «${shown(name)}» occurs twice`);
  }
}
