import { useShop } from '../app/session.tsx';
import { language } from '../i18n/i18n.ts';

/** Parses `2026-03-15 12:00:00` (the marketing API, UTC) and ISO 8601. */
export function dateOf(text: string): Date {
  return new Date(/^\d{4}-\d\d-\d\d \d\d/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}

const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();
function once<F extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => F): F {
  const found = formats.get(key) ?? make();
  formats.set(key, found);
  return found as F;
}

/** Formats money, numbers and times in the person's language, with the shop's currency and time zone. */
export function useFormat() {
  const { company } = useShop();
  const tag = language();
  const zone = company.time_zone;
  return {
    money: (amount: number, currency = company.currency) =>
      once(`m${tag}${currency}`, () => new Intl.NumberFormat(tag, { style: 'currency', currency })).format(amount),
    number: (value: number) => once(`n${tag}`, () => new Intl.NumberFormat(tag)).format(value),
    /** `+50` and `−20`. */
    signed: (value: number) =>
      once(`s${tag}`, () => new Intl.NumberFormat(tag, { signDisplay: 'exceptZero' })).format(value),
    percent: (fraction: number) =>
      once(`p${tag}`, () => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 4 })).format(
        fraction,
      ),
    day: (text: string) =>
      once(`d${tag}`, () => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' })).format(
        new Date(text.slice(0, 10)),
      ),
    moment: (text: string) =>
      once(
        `t${tag}${zone}`,
        () => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }),
      ).format(dateOf(text)),
  };
}

/** A time in the shop's time zone, with UTC as its title. */
export function Moment({ at }: { at: string | null }) {
  const format = useFormat();
  if (at === null) return <span className="dim">–</span>;
  const iso = dateOf(at).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      <Parts of={format.moment(at)} />
    </time>
  );
}

/** If it has to wrap, the whole time goes below the date. */
function Parts({ of }: { of: string }) {
  const cut = of.lastIndexOf(', ');
  if (cut === -1) return <span className="unbroken">{of}</span>;
  return (
    <>
      <span className="unbroken">{of.slice(0, cut + 1)}</span> <span className="unbroken">{of.slice(cut + 2)}</span>
    </>
  );
}

/** A calendar date without a time. */
export function Day({ on }: { on: string | null }) {
  const format = useFormat();
  return on === null ? <span className="dim">–</span> : <time dateTime={on}>{format.day(on)}</time>;
}
