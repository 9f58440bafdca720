import { Button, Menu } from '@mantine/core';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../format.tsx';
import { Icon } from '../Icon.tsx';
import { downloadCsv } from './csv.ts';
import type { Column, ListFilters, ListPageProps } from './types.ts';

interface CsvMenuProps<Row> extends Pick<ListPageProps<Row>, 'name' | 'resource'> {
  columns: Column<Row>[];
  rows: Row[];
  total: number;
  filters: ListFilters;
}

/** The list as a file: the shown columns of this page, or all fields of all matches from the server. */
export function CsvMenu<Row>({ name, resource, columns, rows, total, filters }: CsvMenuProps<Row>) {
  const { company } = useShop();
  const format = useFormat();
  const shown = format.number(total);
  const whole = (as: 'csv' | 'jsonl'): string => {
    const pairs = Object.entries({ ...filters, format: as }).map(([key, value]) => [key, String(value)]);
    return `/admin/api/${company.id}/${resource}?${new URLSearchParams(pairs)}`;
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          disabled={rows.length === 0}
          leftSection={<Icon name="download" size={15} />}
        >
          CSV
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => downloadCsv(name, columns, rows)}>{t('csv.page')}</Menu.Item>
        <Menu.Item component="a" href={whole('csv')} download>
          {t('csv.all', { shown })}
        </Menu.Item>
        <Menu.Item component="a" href={whole('jsonl')} download>
          {t('csv.all_lines', { shown })}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
