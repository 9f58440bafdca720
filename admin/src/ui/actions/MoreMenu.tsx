import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../Icon.tsx';

/** Actions on a record in addition to its main ones, as items of a menu. */
export function MoreMenu({ children }: { children: ReactNode }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<Icon name="chevron-down" size={14} />}>
          {t('action.more')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
