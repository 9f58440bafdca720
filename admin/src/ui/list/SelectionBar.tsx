import { Button } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../format.tsx';
import { Icon } from '../Icon.tsx';
import css from './ListPage.module.css';
import type { Selection } from './selection.ts';
import type { BulkAction } from './types.ts';

interface SelectionBarProps<Row> {
  selection: Selection<Row>;
  bulk: BulkAction<Row>[];
  query: Record<string, string | boolean>;
  total: number;
}

/** Actions on the selected rows. */
export function SelectionBar<Row>({ selection, bulk, query, total }: SelectionBarProps<Row>) {
  const format = useFormat();
  const { rows, everything, unselect } = selection;
  if (rows.length === 0) return null;
  return (
    <div className={`${css.bulk} no-print`} role="toolbar" aria-label={t('list.bulk')}>
      <strong>
        {everything
          ? t('list.everything', { n: total, shown: format.number(total) })
          : t('list.selected', { n: rows.length })}
      </strong>
      {selection.page && !everything && total > rows.length && bulk.some((action) => action.all) ? (
        <Button size="xs" variant="subtle" onClick={selection.selectEverything}>
          {t('list.select_everything', { shown: format.number(total) })}
        </Button>
      ) : null}
      {(everything ? bulk.filter((action) => action.all) : bulk).map((action) => (
        <Button
          key={action.text}
          size="xs"
          variant="default"
          leftSection={<Icon name={action.icon} size={15} />}
          onClick={() => (everything ? action.all?.(query, total, unselect) : action.run(rows, unselect))}
        >
          {action.text}
        </Button>
      ))}
      <Button size="xs" variant="subtle" color="gray" onClick={unselect}>
        {t('list.unselect')}
      </Button>
    </div>
  );
}
