import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/Icon.tsx';
import { isGoingOn } from './going-on.ts';
import { PauseDialog, useSkipOrResume } from './pausing.tsx';
import type { Subscription } from './queries.ts';

/** Skip, pause and resume, in the space of a table's cell. */
export function QuickActions({ subscription }: { subscription: Subscription }) {
  const [pausing, setPausing] = useState(false);
  const { id, status } = subscription;
  const simple = useSkipOrResume(id);
  if (!isGoingOn(subscription) && status !== 'paused') return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            px={8}
            loading={simple.isPending}
            aria-label={t('subscription.actions', { id })}
          >
            <Icon name="dots" size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'paused' ? (
            <Menu.Item onClick={() => simple.mutate('resume')}>{t('subscription.resume')}</Menu.Item>
          ) : (
            <>
              <Menu.Item onClick={() => simple.mutate('skip')}>{t('subscription.skip')}</Menu.Item>
              <Menu.Item onClick={() => setPausing(true)}>{t('subscription.pause')}</Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {pausing ? <PauseDialog id={id} onClose={() => setPausing(false)} /> : null}
    </>
  );
}
