import { Button } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/Icon.tsx';
import { saveCsv } from '../../ui/list/csv.ts';

/** Saves the rows as a file of this name, below their titles. */
export function CsvButton({ name, titles, rows }: CsvProps) {
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name="download" size={15} />}
      disabled={rows.length === 0}
      onClick={() => saveCsv(name, [titles, ...rows])}
    >
      {t('reports.csv')}
    </Button>
  );
}

interface CsvProps {
  name: string;
  titles: string[];
  rows: (string | number | null)[][];
}
