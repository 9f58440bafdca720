import { useQuery } from '@tanstack/react-query';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import { textOf } from '../../ui/messages.tsx';
import type { ListedSegment } from './queries.ts';

/** Milliseconds after which counting is abandoned: a count that takes no longer is stored once a day. */
const LIMIT_MS = 5_000;

let before: Promise<unknown> = Promise.resolve();
/** Runs one count after the other: a page of segments occupies one connection at most. */
function inTurn<Result>(signal: AbortSignal, count: () => Promise<Result>): Promise<Result> {
  const mine = before.then(() => {
    signal.throwIfAborted();
    return count();
  });
  // Whoever started this count gets its error; the next one ignores it.
  before = mine.catch(() => undefined);
  return mine;
}

const isTimeout = (error: Error): boolean => error instanceof DOMException && error.name === 'TimeoutError';

/** The last stored number of contacts of a segment, with its day; a segment changed since is counted now. */
export function Counted({ segment }: { segment: ListedSegment }) {
  const { api, company } = useShop();
  const format = useFormat();
  const { segment_id: id, counted, updated_at } = segment;
  const { data, error } = useQuery({
    queryKey: [company.id, 'segments', id, 'counted', updated_at],
    enabled: counted === null,
    retry: false,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      inTurn(signal, () =>
        ok(
          api.GET('/segments/{id}', {
            params: { path: { id } },
            signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
          }),
        ),
      ),
  });
  const slow = <span title={t('segment.counted.slow')}>–</span>;
  if (counted !== null) {
    if (counted.count === null) return slow;
    return (
      <>
        {format.number(counted.count)}
        <br />
        <span className="dim unbroken">{t('segment.counted.on', { day: format.day(counted.day) })}</span>
      </>
    );
  }
  if (error !== null) return isTimeout(error) ? slow : <span title={textOf(error)}>–</span>;
  if (data === undefined) return <span title={t('segment.counted.running')}>…</span>;
  return (
    <>
      {format.number(data.count)}
      <br />
      <span className="dim unbroken">{t('segment.counted.now')}</span>
    </>
  );
}
