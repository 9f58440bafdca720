import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { accountApi } from '../../api/account.ts';
import { ok } from '../../api/client.ts';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { sayError } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import { Empty } from '../../ui/states.tsx';
import css from './HealthPage.module.css';
import { Tabs } from './Tabs.tsx';

const read = (signal?: AbortSignal) => ok(accountApi.GET('/installation/health', { ...(signal ? { signal } : {}) }));
type Report = Awaited<ReturnType<typeof read>>;
type Check = Report['checks'][number];

const KEY = ['installation', 'health'];
const POLL_MS = 2_000;

/** The doctor's findings about the whole installation, for its owner. */
export function HealthPage() {
  const client = useQueryClient();
  const report = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => read(signal),
    refetchInterval: ({ state }) => (state.data?.running ? POLL_MS : false),
  });
  const examine = useWrite({
    mutationFn: () => ok(accountApi.POST('/installation/health')),
    onSuccess: (begun) => client.setQueryData(KEY, begun),
    onError: sayError,
  });
  const busy = examine.isPending || (report.data?.running ?? false);
  return (
    <>
      <Tabs current="health" />
      <Loaded query={report}>
        {(data) => (
          <div className="stack">
            <div className={css.head}>
              <p aria-live="polite">
                <Summary report={data} />
              </p>
              <Button loading={busy} onClick={() => examine.mutate()}>
                {t('health.examine')}
              </Button>
            </div>
            <Checks report={data} />
            {data.tables.length === 0 ? null : <Tables report={data} />}
          </div>
        )}
      </Loaded>
    </>
  );
}

function Summary({ report }: { report: Report }) {
  if (report.running) return t('health.running');
  if (report.error !== null) return t('health.failed', { error: report.error });
  if (report.finished_at === null) return null;
  const wrong = report.checks.filter(({ status }) => status === 'wrong').length;
  return (
    <>
      {wrong === 0 ? t('health.good') : t('health.wrong', { n: wrong })}{' '}
      <span className="dim">
        {t('health.finished')} <Moment at={report.finished_at} />
      </span>
    </>
  );
}

function Checks({ report: { checks, running } }: { report: Report }) {
  if (checks.length === 0) {
    if (running) return null;
    return <Empty icon="list-check" title={t('health.never')} text={t('health.never.text')} />;
  }
  const found = checks.filter(({ status }) => status !== 'ok');
  const passed = checks.filter(({ status }) => status === 'ok');
  return (
    <>
      {found.length === 0 ? null : (
        <Section title={t('health.checks')} flush>
          <ul className={css.findings}>
            {found.map((check) => (
              <Finding key={check.id} check={check} />
            ))}
          </ul>
        </Section>
      )}
      <Section title={t('health.passed')}>
        <ul className={css.passed}>
          {passed.map(({ id, promise }) => (
            <li key={id} lang="en">
              {promise}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

/** The doctor's texts are the same in every language. */
function Finding({ check: { status, promise, violations, examples, fix } }: { check: Check }) {
  return (
    <li>
      <p className={css.promise}>
        <Status value={status} /> <span lang="en">{promise}</span>
        {violations > examples.length ? <span className="dim"> {t('health.places', { n: violations })}</span> : null}
      </p>
      <ul lang="en">
        {examples.map(({ company_id, subject }) => (
          <li key={`${company_id} ${subject}`} className="break">
            {company_id === null ? null : <b>{t('health.company', { id: company_id })}: </b>}
            {subject}
          </li>
        ))}
      </ul>
      {fix === null ? null : (
        <p>
          <b>{t('health.fix')}:</b> <span lang="en">{fix}.</span>
        </p>
      )}
    </li>
  );
}

function Tables({ report: { tables } }: { report: Report }) {
  const format = useFormat();
  return (
    <Section title={t('health.tables')} flush>
      <SmallTable
        caption={t('health.tables')}
        rows={tables}
        keyOf={({ table }) => table}
        empty=""
        columns={[
          { title: t('health.table'), cell: ({ table }) => <code>{table}</code> },
          { title: t('health.size'), right: true, cell: ({ bytes }) => `${format.number(Math.ceil(bytes / 1024))} kB` },
          { title: t('health.rows'), right: true, wide: true, cell: ({ rows }) => format.number(rows) },
        ]}
      />
    </Section>
  );
}
