import { t, tOf } from '../../i18n/i18n.ts';

const CODE = /^[a-z][a-z_]*$/;

/** The reason in the person's language, or null where it is not a code of the catalogue but a sentence of the server. */
function known(value: string): string | null {
  if (value.startsWith('held: ')) return t('reason.held', { reason: known(value.slice(6)) ?? value.slice(6) });
  if (value.startsWith('exit_on:')) return t('reason.exit_on', { event: value.slice(8) });
  const text = CODE.test(value) ? tOf('reason', value) : value;
  return text === value ? null : text;
}

/** Why something failed, was skipped or waits; the server's own sentences are in English. */
export function Reason({ value }: { value: string }) {
  const text = known(value);
  if (text !== null) return text;
  return (
    <span lang="en" className="break">
      {CODE.test(value) ? value.replaceAll('_', ' ') : value}
    </span>
  );
}
