import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useAct } from '../../ui/actions/useAct.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Status } from '../../ui/Status.tsx';
import css from './Domains.module.css';

/** The host of the links in a domain's e-mails; its record is listed with the domain's. */
export function TrackingHost({ domain }: { domain: Model<'SendingDomain'> }) {
  const { domain_id: id, domain: name, tracking_host: host, tracking_state: state } = domain;
  const { api, can } = useShop();
  const act = useAct();
  const [naming, setNaming] = useState(false);
  const change = (tracking_host: string | null) =>
    ok(api.PATCH('/sending-domains/{id}', { params: { path: { id } }, body: { tracking_host } }));
  return (
    <div className={css.warmUp}>
      <div className={css.title}>
        <h3>{t('tracking.title')}</h3>
        {can('marketing:write') ? (
          <span className={css.actions}>
            <Button
              size="xs"
              variant="default"
              onClick={() => setNaming(true)}
              aria-label={t(host === null ? 'tracking.set.of' : 'tracking.change.of', { name })}
            >
              {t(host === null ? 'tracking.set' : 'tracking.change')}
            </Button>
            {host === null ? null : (
              <Button
                size="xs"
                variant="default"
                onClick={() => void act(() => change(null), t('form.saved'))}
                aria-label={t('tracking.remove.of', { name })}
              >
                {t('tracking.remove')}
              </Button>
            )}
          </span>
        ) : null}
      </div>
      {host === null || state === null ? (
        <p className="dim">{t('tracking.help', { domain: name })}</p>
      ) : (
        <p aria-live="polite" className={css.state}>
          <code className="break">{host}</code> <Status value={state} /> {tOf('tracking.state', state)}
        </p>
      )}
      {naming ? (
        <FormDialog
          title={t('tracking.title')}
          text={t('tracking.help', { domain: name })}
          fields={[
            {
              name: 'tracking_host',
              label: t('tracking.host'),
              type: 'text',
              required: true,
              help: t('tracking.host.help', { domain: name }),
            },
          ]}
          initial={{ tracking_host: host ?? `links.${name}` }}
          submit={t('action.save')}
          save={({ tracking_host }) => change(String(tracking_host ?? ''))}
          done={t('form.saved')}
          onClose={() => setNaming(false)}
        />
      ) : null}
    </div>
  );
}
