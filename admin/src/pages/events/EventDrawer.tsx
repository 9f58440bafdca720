import { Button, Drawer } from '@mantine/core';
import { t, tOf } from '../../i18n/i18n.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Facts } from '../../ui/DetailPage.tsx';
import { Moment } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import css from './Page.module.css';
import { type ShopEvent, useContactAddress } from './queries.ts';

/** One event as it was stored. */
export function EventDrawer(props: { event: ShopEvent; onClose: () => void; onContact: (id: number) => void }) {
  const { event, onClose, onContact } = props;
  const contact = useContactAddress(event.contact_id);
  const payload = JSON.stringify(event.event_data, null, 2);
  const copy = (): void => {
    void copyText(payload, t('events.copied'));
  };
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={event.event_type}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <div className="stack">
        <Facts
          facts={[
            [t('events.contact'), contact.data ?? `#${event.contact_id}`],
            [t('events.occurred'), <Moment key="occurred" at={event.occurred_at} />],
            [t('events.received'), <Moment key="received" at={event.received_at} />],
            [t('events.source'), tOf('event_source', event.source)],
            [t('events.id'), String(event.event_id)],
            [t('events.external_id'), event.external_event_id],
          ]}
        />
        <section aria-label={t('events.payload')}>
          <pre className={css.payload}>{payload}</pre>
        </section>
        <div className={css.actions}>
          <Button variant="default" onClick={() => onContact(event.contact_id)}>
            {t('events.of_contact')}
          </Button>
          <Button variant="default" leftSection={<Icon name="copy" size={16} />} onClick={copy}>
            {t('events.copy')}
          </Button>
        </div>
      </div>
    </Drawer>
  );
}
