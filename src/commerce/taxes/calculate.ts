import type { Address } from '../address.ts';
import { allocate, allocateBig } from '../allocation.ts';
import { MICROS, type Micros, type Minor, mulDivHalfUp } from '../money.ts';
import { matchTaxRules, type TaxRule } from './match.ts';

export interface TaxSettings {
  /** The company's rules; rules for other places are ignored. */
  rules: readonly TaxRule[];
  /** Where halves are rounded up: on every line, or once per order for each set of rates that lines share. */
  rounding: 'line' | 'order';
  /** If true, the amounts already contain the tax, which is extracted from them instead of added. */
  prices_include_tax: boolean;
}

/** The tax of one rate over the whole order. */
export interface TaxLine {
  name: string;
  rate: Micros;
  amount: Minor;
}

export interface Taxes {
  /** One per line, in the order given. */
  lines: Minor[];
  shipping: Minor;
  /** Σ lines + shipping = Σ tax_lines. */
  total: Minor;
  tax_lines: TaxLine[];
}

export interface TaxedLine {
  tax_class: string | null;
  /** The subtotal minus the discount is taxed. */
  subtotal: Minor;
  discount: Minor;
}

/** Amounts taxed by the same rules: line numbers, or `SHIPPING`. */
interface Group {
  rules: readonly TaxRule[];
  members: number[];
}

const SHIPPING = -1;

/**
 * Calculates an order's taxes: half-up(amount × rate) for each rule that matches the address and the class; a compound rule also taxes the
 * taxes before it. Shipping is taxed like a product without a class, by the rules that apply to shipping.
 * See docs/design/money-and-taxes.md.
 */
export function calculateTaxes(
  lines: readonly TaxedLine[],
  shipping: Minor,
  address: Address,
  settings: TaxSettings,
): Taxes {
  const taxes: Taxes = { lines: new Array<number>(lines.length).fill(0), shipping: 0, total: 0, tax_lines: [] };
  if (settings.rules.length === 0) return taxes;
  for (const { rules, members } of groupByRules(lines, shipping, address, settings.rules)) {
    const amounts = members.map((member) => (member === SHIPPING ? shipping : paidFor(lines[member]!)));
    const collected = new Array<number>(rules.length).fill(0);
    const shares =
      settings.rounding === 'line'
        ? amounts.map((amount) => collect(amount, rules, settings.prices_include_tax, collected))
        : allocate(collect(sumOf(amounts), rules, settings.prices_include_tax, collected), amounts);
    members.forEach((member, i) => {
      if (member === SHIPPING) taxes.shipping = shares[i]!;
      else taxes.lines[member] = shares[i]!;
    });
    rules.forEach((rule, i) => {
      addTaxLine(taxes, rule, collected[i]!);
    });
  }
  return taxes;
}

function paidFor(line: TaxedLine): Minor {
  return line.subtotal - line.discount;
}

function groupByRules(
  lines: readonly TaxedLine[],
  shipping: Minor,
  address: Address,
  rules: readonly TaxRule[],
): Group[] {
  const groups: Group[] = [];
  const byClass = new Map<string | null, Group>();
  const join = (matched: TaxRule[]): Group => {
    const known = groups.find((group) => sameRules(group.rules, matched));
    if (known) return known;
    const group = { rules: matched, members: [] };
    groups.push(group);
    return group;
  };
  for (let i = 0; i < lines.length; i++) {
    const taxClass = lines[i]!.tax_class;
    let group = byClass.get(taxClass);
    if (!group) {
      group = join(matchTaxRules(rules, address, taxClass));
      byClass.set(taxClass, group);
    }
    group.members.push(i);
  }
  if (shipping > 0) {
    const onShipping = matchTaxRules(rules, address, null).filter((rule) => rule.applies_to_shipping);
    join(onShipping).members.push(SHIPPING);
  }
  return groups;
}

function sameRules(a: readonly TaxRule[], b: readonly TaxRule[]): boolean {
  return a.length === b.length && a.every((rule, i) => rule === b[i]);
}

/** Returns the tax on one amount; adds each rule's share to `collected`. */
function collect(amount: Minor, rules: readonly TaxRule[], contained: boolean, collected: Minor[]): Minor {
  if (contained) return collectContained(amount, rules, collected);
  let tax = 0;
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!;
    const part = mulDivHalfUp(rule.compound ? amount + tax : amount, rule.rate, MICROS);
    collected[i]! += part;
    tax += part;
  }
  return tax;
}

/** Returns the tax within a gross amount: half-up(gross × t ÷ (1 + t)), t being all rates together, split among them by size. */
function collectContained(gross: Minor, rules: readonly TaxRule[], collected: Minor[]): Minor {
  if (rules.length === 0) return 0;
  if (rules.length === 1) {
    const { rate } = rules[0]!;
    const tax = mulDivHalfUp(gross, rate, MICROS + rate);
    collected[0]! += tax;
    return tax;
  }
  // Exact weights of the rules as numerators over a common denominator: each rule adds six decimals.
  const scale = BigInt(MICROS);
  let net = 1n;
  let taxes: bigint[] = [];
  for (const rule of rules) {
    const before = taxes.reduce((sum, tax) => sum + tax, 0n);
    const own = BigInt(rule.rate) * (rule.compound ? net + before : net);
    taxes = [...taxes.map((tax) => tax * scale), own];
    net *= scale;
  }
  const together = taxes.reduce((sum, tax) => sum + tax, 0n);
  const divisor = net + together;
  const tax = (2n * BigInt(gross) * together + divisor) / (2n * divisor);
  allocateBig(tax, taxes).forEach((part, i) => {
    collected[i]! += Number(part);
  });
  return Number(tax);
}

/** Merges rules with the same name and rate into one line; omits zero amounts. */
function addTaxLine(taxes: Taxes, rule: TaxRule, amount: Minor): void {
  if (amount === 0) return;
  taxes.total += amount;
  const known = taxes.tax_lines.find((line) => line.name === rule.name && line.rate === rule.rate);
  if (known) known.amount += amount;
  else taxes.tax_lines.push({ name: rule.name, rate: rule.rate, amount });
}

function sumOf(numbers: readonly number[]): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
