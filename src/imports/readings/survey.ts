import type { Fields } from '../formats/format.ts';
import { shown } from '../kinds/values.ts';
import { DATE_ORDERS, type DateOrder, dateOrderOf, hasDots, lacksTimeZone } from './dates.ts';
import { SEPARATORS, type Separator, separatorOf } from './numbers.ts';
import { DATE_FIELDS, NUMBER_FIELDS, type Reading, type ReadingDefaults } from './readings.ts';

/** What somebody chose for all columns. */
export interface ChosenReadings {
  date_order?: DateOrder;
  decimal_separator?: Separator;
  time_zone?: string;
}

/** What the values of one column admit. */
class Column<Choice extends string> {
  readonly only = new Map<Choice, number>();
  /** The first ambiguous value, truncated for display: a cell may have a mebibyte. */
  either: string | null = null;

  add(admits: Choice | 'either' | null, text: string): void {
    if (admits === 'either') this.either ??= shown(text);
    else if (admits !== null) this.only.set(admits, (this.only.get(admits) ?? 0) + 1);
  }

  get says(): boolean {
    return this.either !== null || this.only.size > 0;
  }
}

/** Examines every value of date and number columns. Values that allow a single interpretation decide for their column. */
export class Survey {
  private readonly dates = new Map<string, Column<DateOrder>>();
  private readonly numbers = new Map<string, Column<Separator>>();
  private readonly zoneless = new Map<string, string>();
  private readonly dotted = new Set<string>();

  add(fields: Fields): void {
    for (const field of DATE_FIELDS) {
      const text = fields[field];
      if (text === undefined) continue;
      const admits = dateOrderOf(text);
      columnOf(this.dates, field).add(admits, text);
      if (admits === 'either' && hasDots(text)) this.dotted.add(field);
      if (!this.zoneless.has(field) && lacksTimeZone(text)) this.zoneless.set(field, shown(text));
    }
    for (const field of NUMBER_FIELDS) {
      const text = fields[field];
      if (text !== undefined) columnOf(this.numbers, field).add(separatorOf(text), text);
    }
  }

  readings(chosen: ChosenReadings, defaults: ReadingDefaults): Reading[] {
    const dateOrder = (field: string): DateOrder => (this.dotted.has(field) ? 'day_first' : defaults.dateOrder);
    const zones = [...this.zoneless].map(([field, example]): Reading => {
      const value = chosen.time_zone ?? defaults.timeZone;
      return {
        kind: 'time_zone',
        field,
        value,
        decided_by: chosen.time_zone === undefined ? 'default' : 'option',
        example,
      };
    });
    return [
      ...decided('date_order', this.dates, DATE_ORDERS, chosen.date_order, dateOrder),
      ...zones,
      ...decided('decimal_separator', this.numbers, SEPARATORS, chosen.decimal_separator, () => defaults.separator),
    ];
  }
}

function columnOf<Choice extends string>(columns: Map<string, Column<Choice>>, field: string): Column<Choice> {
  let column = columns.get(field);
  if (column === undefined) {
    column = new Column();
    columns.set(field, column);
  }
  return column;
}

/** An option decides; otherwise most of the column's own values, then most of all columns' values, then the default. */
function decided<Choice extends string>(
  kind: Reading['kind'],
  columns: Map<string, Column<Choice>>,
  choices: readonly Choice[],
  option: Choice | undefined,
  defaultOf: (field: string) => Choice,
): Reading[] {
  const all = new Map<Choice, number>();
  for (const { only } of columns.values()) for (const [choice, n] of only) all.set(choice, (all.get(choice) ?? 0) + n);
  return [...columns]
    .filter(([, column]) => column.says)
    .map(([field, { only, either }]): Reading => {
      const byValues = mostOf(only, choices) ?? mostOf(all, choices);
      const value = option ?? byValues ?? defaultOf(field);
      const decided_by = option !== undefined ? 'option' : byValues !== null ? 'values' : 'default';
      return { kind, field, value, decided_by, example: either };
    });
}

/** Returns null if the counts are equal. */
function mostOf<Choice extends string>(counts: Map<Choice, number>, [a, b]: readonly Choice[]): Choice | null {
  const [first, second] = [counts.get(a!) ?? 0, counts.get(b!) ?? 0];
  return first === second ? null : first > second ? a! : b!;
}
