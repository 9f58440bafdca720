import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { csvField } from '../../ui/list/csv.ts';
import { sayError } from '../../ui/messages.tsx';
import css from './imports.module.css';
import { allFindings, type Finding, type Import, type Phase } from './queries.ts';

const COUNTS = ['created', 'updated', 'unchanged', 'skipped', 'refused', 'suppressed'] as const;

/** What the run will do according to the check, or what it did. */
export function Counts({ row }: { row: Import }) {
  const format = useFormat();
  const undone = row.status === 'undone' || row.status === 'undoing';
  const shown = COUNTS.filter((name) => row[name] > 0 || name === 'created' || name === 'refused');
  return (
    <Section title={t(row.status === 'checked' ? 'imports.will' : 'imports.did')}>
      <dl className={css.counts}>
        {shown.map((name) => (
          <div key={name} data-count={name}>
            <dt>{t(`imports.${name}`)}</dt>
            <dd className="num">{format.number(row[name])}</dd>
          </div>
        ))}
        {undone
          ? (['undone', 'kept'] as const).map((name) => (
              <div key={name} data-count={name}>
                <dt>{t(`imports.${name}`)}</dt>
                <dd className="num">{format.number(row[name])}</dd>
              </div>
            ))
          : null}
      </dl>
      {row.suppressed > 0 ? <p className="dim">{t('imports.suppressed.help')}</p> : null}
    </Section>
  );
}

/** Rows with a reason; the refused ones can be downloaded, corrected, and imported again. */
export function Findings({ row, phase }: { row: Import; phase: Phase }) {
  const { api, company } = useShop();
  const { id } = row;
  const findings = useQuery({
    queryKey: [company.id, 'imports', id, 'findings', phase, row.status],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/imports/{id}/findings', { params: { path: { id }, query: { phase, per_page: 100 } }, signal })),
  });
  const download = useWrite({
    mutationFn: async () => save(row, await allFindings(api, id, phase)),
    onError: sayError,
  });
  const rows = findings.data?.findings;
  if (rows !== undefined && rows.length === 0) return null;
  return (
    <Section
      flush
      title={t(phase === 'undo' ? 'imports.kept.rows' : 'imports.refused.rows')}
      actions={
        phase === 'undo' ? null : (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={15} />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            {t('imports.download')}
          </Button>
        )
      }
    >
      <SmallTable<Finding>
        caption={t('imports.refused.rows')}
        rows={rows}
        keyOf={(one) => `${one.row} ${one.reason}`}
        empty={t('imports.refused.none')}
        columns={[
          ...(phase === 'undo'
            ? []
            : [{ title: t('imports.row'), cell: (one: Finding) => <span className="num">{one.row}</span> }]),
          { title: t('imports.column_name'), wide: true, cell: (one) => one.column ?? one.field ?? '' },
          { title: t('field.reason'), cell: (one) => <span className="break">{one.reason}</span> },
        ]}
      />
      {findings.data?.next == null ? null : <p className={`${css.more} dim`}>{t('imports.refused.more')}</p>}
    </Section>
  );
}

/** Saves the refused rows unchanged, followed by the reason. */
function save({ file_name, header }: Import, findings: Finding[]): void {
  const lines = [
    [...header, t('field.reason')],
    ...findings
      .filter(({ cells }) => cells !== null)
      .map(({ cells, reason }) => [...header.map((_, i) => cells?.[i] ?? ''), reason]),
  ];
  const text = lines.map((line) => line.map(csvField).join(',')).join('\r\n');
  const url = URL.createObjectURL(new Blob(['\uFEFF', text, '\r\n'], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file_name.replace(/(\.\w+)?$/, '-refused.csv');
  link.click();
  URL.revokeObjectURL(url);
}
