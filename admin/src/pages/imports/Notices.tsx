import { t, tOf } from '../../i18n/i18n.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import type { Import } from './queries.ts';

type Notice = Import['notices'][number];

/** What the import does not keep as the file has it. */
export function Notices({ notices }: { notices: Notice[] }) {
  const format = useFormat();
  if (notices.length === 0) return null;
  const rows = notices.map((notice, i) => ({ notice, key: `${i}` }));
  return (
    <Section flush title={t('imports.notices')}>
      <SmallTable<(typeof rows)[number]>
        caption={t('imports.notices')}
        rows={rows}
        keyOf={({ key }) => key}
        empty=""
        columns={[
          { title: t('imports.notice.what'), wide: true, cell: ({ notice }) => textOf(notice) },
          { title: t('imports.notice.count'), cell: ({ notice }) => format.number(notice.count) },
        ]}
      />
    </Section>
  );
}

function textOf({ code, column }: Notice): string {
  return code === 'column_not_kept'
    ? t('imports.notice.column_not_kept', { column: column ?? '' })
    : tOf('imports.notice', code);
}
