import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../Icon.tsx';
import css from './ListPage.module.css';
import type { Column } from './types.ts';

/** The keys of the shown columns, which the browser remembers for each list. */
export function useColumns<Row>(name: string, columns: Column<Row>[]): [string[], (keys: string[]) => void] {
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

export function ColumnMenu<Row>(props: {
  columns: Column<Row>[];
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
        {columns.slice(1).map(({ key, title }) => {
          const on = chosen.includes(key);
          const next = on ? chosen.filter((one) => one !== key) : [...chosen, key];
          return (
            <Menu.Item
              key={key}
              role="menuitemcheckbox"
              aria-checked={on}
              leftSection={on ? <Icon name="check" size={15} /> : <span className={css.noIcon} />}
              onClick={() => onChange(next)}
            >
              {title}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
