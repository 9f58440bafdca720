import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import { textOf } from '../../ui/messages.tsx';
import css from './AddressChecks.module.css';

type Address = Model<'Preview'>['addresses'][number];
type Checked = Awaited<ReturnType<typeof call>>[number];

/** Addresses per check. */
const MOST = 30;
const keyOf = ({ kind, address }: Pick<Address, 'kind' | 'address'>): string => `${kind} ${address}`;

const call = async (api: ReturnType<typeof useShop>['api'], addresses: Pick<Address, 'kind' | 'address'>[]) =>
  (await ok(api.POST('/address-checks', { body: { addresses } }))).addresses;

/** Calls the links and pictures of an e-mail on request, and shows the result of each. */
export function AddressChecks({ addresses }: { addresses: readonly Address[] }) {
  const { api, can } = useShop();
  const [results, setResults] = useState<ReadonlyMap<string, Checked>>(new Map());
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const callable = addresses.filter(({ unchecked }) => unchecked === null);
  const isKnown = (one: Address): number => (results.has(keyOf(one)) ? 1 : 0);
  if (callable.length === 0 || !can('marketing:write')) return null;
  const check = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      // If one check cannot call all, those not called yet come first.
      const next = callable.toSorted((one, other) => isKnown(one) - isKnown(other)).slice(0, MOST);
      const checked = await call(
        api,
        next.map(({ address, kind }) => ({ address, kind })),
      );
      setResults(new Map([...results, ...checked.map((one) => [keyOf(one), one] as const)]));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={css.checks}>
      <Button size="xs" variant="default" loading={busy} onClick={() => void check()}>
        {t('addresses.check')}
      </Button>
      {error === null ? null : (
        <p role="alert" className={css.problem}>
          {textOf(error)}
        </p>
      )}
      <div role="status" className={css.results}>
        {busy ? t('addresses.checking') : null}
        {results.size === 0 || busy ? null : <Results addresses={addresses} results={results} />}
      </div>
    </div>
  );
}

interface Row {
  address: Address;
  text: string;
  state: 'ok' | 'bad' | 'open';
}

function Results({ addresses, results }: { addresses: readonly Address[]; results: ReadonlyMap<string, Checked> }) {
  const format = useFormat();
  const rows = addresses.map((address) => rowOf(address, results.get(keyOf(address)), format));
  const of = (state: Row['state']): Row[] => rows.filter((row) => row.state === state);
  const bad = of('bad');
  return (
    <>
      <p>
        {bad.length === 0
          ? t('addresses.all_fine', { n: of('ok').length })
          : t('addresses.problems', { n: bad.length })}
      </p>
      <List rows={bad} />
      {of('ok').length + of('open').length === 0 ? null : (
        <details>
          <summary>{t('addresses.others', { fine: of('ok').length, open: of('open').length })}</summary>
          <List rows={[...of('open'), ...of('ok')]} />
        </details>
      )}
    </>
  );
}

function List({ rows }: { rows: Row[] }) {
  if (rows.length === 0) return null;
  return (
    <ul>
      {rows.map(({ address, text, state }) => (
        <li key={keyOf(address)} data-state={state}>
          <span className="dim">{t(`addresses.kind.${address.kind}`)}</span>{' '}
          {address.unchecked === null ? (
            <a className="break" href={address.address} target="_blank" rel="noreferrer">
              {address.address}
            </a>
          ) : (
            <span className="break">{address.address}</span>
          )}
          <span className={css.text}>{text}</span>
        </li>
      ))}
    </ul>
  );
}

function rowOf(address: Address, checked: Checked | undefined, format: ReturnType<typeof useFormat>): Row {
  const open = (reason: string): Row => ({ address, state: 'open', text: tOf('addresses.not_checked', reason) });
  if (address.unchecked !== null) return open(address.unchecked);
  if (checked === undefined) return open('not_yet');
  const { result, status, reason, type, bytes } = checked;
  if (result === 'not_checked') return open(reason ?? 'not_yet');
  if (result === 'ok') return { address, state: 'ok', text: t('addresses.ok') };
  const bad = (text: string): Row => ({ address, state: 'bad', text });
  if (result === 'unreachable') return bad(tOf('addresses.unreachable', reason ?? 'failed'));
  if (result === 'large_picture')
    return bad(t('addresses.large_picture', { kb: format.number(Math.ceil((bytes ?? 0) / 1_000)) }));
  if (result === 'not_a_picture') return bad(t('addresses.not_a_picture', { type: type ?? t('addresses.no_type') }));
  return bad(
    t(
      status === 404 || status === 410
        ? 'addresses.gone'
        : refusesPrograms(status)
          ? 'addresses.refuses'
          : 'addresses.bad_status',
      { status },
    ),
  );
}

/** Statuses that pages return to programs but not to people. */
function refusesPrograms(status: number | null): boolean {
  return status === 401 || status === 403 || status === 429;
}
