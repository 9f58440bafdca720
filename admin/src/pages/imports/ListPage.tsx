import './texts.ts';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Import, useFormats } from './queries.ts';

export function ListPage() {
  const { api } = useShop();
  const format = useFormat();
  const formats = useFormats();
  const title = (name: string): string => formats.data?.find((one) => one.name === name)?.title ?? name;
  return (
    <List<Import>
      name="imports"
      live="imports"
      title={t('nav.imports')}
      resource="imports"
      load={(query, signal) => rowsOf(api.GET('/imports', { params: { query }, signal }))}
      idOf={(row) => row.id}
      path={(row) => `imports/${row.id}`}
      columns={[
        { key: 'file', title: t('imports.file'), cell: (row) => row.file_name, csv: (row) => row.file_name },
        { key: 'format', title: t('imports.format'), cell: (row) => title(row.format), csv: (row) => row.format },
        {
          key: 'status',
          title: t('field.status'),
          cell: (row) => <Status value={row.status} />,
          csv: (row) => row.status,
        },
        {
          key: 'created',
          title: t('imports.created'),
          align: 'right',
          wide: true,
          cell: (row) => format.number(row.created),
          csv: (row) => row.created,
        },
        {
          key: 'refused',
          title: t('imports.refused'),
          align: 'right',
          wide: true,
          cell: (row) => format.number(row.refused),
          csv: (row) => row.refused,
        },
        {
          key: 'created_at',
          title: t('field.when'),
          cell: (row) => <Moment at={row.created_at} />,
          csv: (row) => row.created_at,
        },
      ]}
      create={{ path: 'imports/new', text: t('imports.new') }}
      empty={{ icon: 'upload', title: t('imports.empty'), text: t('imports.empty.text') }}
    />
  );
}
