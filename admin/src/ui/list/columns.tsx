import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../Icon.tsx';
import css from './ListPage.module.css';
import type { Column } from './types.ts';

type Choosable = Pick<Column<unknown>, 'key' | 'title' | 'optional'>;

/** The keys of the shown columns, which the browser remembers for each list. */
export function useColumns(name: string, columns: readonly Choosable[]): [string[], (keys: string[]) => void] {
  const stored = `tradeloom-columns-${name}`;
  const [keys, setKeys] = useState<string[]>(() => {
    const kept = localStorage.getItem(stored);
    const known = kept === null ? [] : kept.split(',').filter((key) => columns.some((column) => column.key === key));
    return known.length > 0 ? known : columns.filter(({ optional }) => !optional).map(({ key }) => key);
  });
  return [
    keys,
    (next) => {
      localStorage.setItem(stored, next.join(','));
      setKeys(next);
    },
  ];
}

/** Shows and hides columns. */
export function ColumnMenu(props: {
  columns: readonly Choosable[];
  chosen: string[];
  onChange: (keys: string[]) => void;
}) {
  const { columns, chosen, onChange } = props;
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<Icon name="columns" size={15} />} className={css.columns}>
          {t('list.columns')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ key, title }) => {
          const on = chosen.includes(key);
          const next = on ? chosen.filter((one) => one !== key) : [...chosen, key];
          return (
            <Menu.CheckboxItem
              key={key}
              checked={on}
              checkIcon={<Icon name="check" size={15} />}
              onChange={() => onChange(next)}
            >
              {title}
            </Menu.CheckboxItem>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
