import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../format.tsx';
import { Icon } from '../Icon.tsx';
import { say, sayError } from '../messages.tsx';
import { downloadCsv } from './csv.ts';
import type { Column, ListPageProps } from './types.ts';

/** Rows of one file, and of one request for them. */
const MOST_ROWS = 50_000;
const PER_REQUEST = 100;

interface CsvMenuProps<Row> extends Pick<ListPageProps<Row>, 'name' | 'load' | 'idOf'> {
  columns: Column<Row>[];
  rows: Row[];
  total: number;
  query: Record<string, string | boolean>;
}

/** The shown columns as a file: of the rows of this page, or of all that match. */
export function CsvMenu<Row>({ name, load, idOf, columns, rows, total, query }: CsvMenuProps<Row>) {
  const format = useFormat();
  const [busy, setBusy] = useState(false);
  const all = async (): Promise<void> => {
    if (total > MOST_ROWS) return say(t('csv.too_many', { n: format.number(MOST_ROWS) }), true);
    setBusy(true);
    try {
      // By id: a row that comes in meanwhile pushes another one to the next page.
      const found = new Map<number, Row>();
      const { signal } = new AbortController();
      for (let page = 1; page <= Math.ceil(total / PER_REQUEST); page++) {
        const loaded = await load({ ...query, page, per_page: PER_REQUEST }, signal);
        for (const row of loaded.rows) found.set(idOf(row), row);
      }
      downloadCsv(name, columns, [...found.values()]);
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  const button = {
    ...{ variant: 'default', size: 'xs', loading: busy, disabled: rows.length === 0 },
    leftSection: <Icon name="download" size={15} />,
  };
  if (total <= rows.length) {
    return (
      <Button {...button} onClick={() => downloadCsv(name, columns, rows)}>
        CSV
      </Button>
    );
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button {...button}>CSV</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => downloadCsv(name, columns, rows)}>{t('csv.page')}</Menu.Item>
        <Menu.Item onClick={() => void all()}>{t('csv.all', { shown: format.number(total) })}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
