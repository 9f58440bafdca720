import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useAct } from '../../ui/actions/useAct.ts';
import { SmallTable } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { dayIn } from '../../ui/form/days.ts';
import { Day, useFormat } from '../../ui/format.tsx';
import css from './Domains.module.css';

type SendingDomain = Model<'SendingDomain'>;
type Plan = { starts_on: string; ends_on: string; messages: number; growth: number };

const DAY_MS = 86_400_000;
/** Days until a domain has grown from 50 to more than 100,000 e-mails a day. */
const USUAL_DAYS = 20;

/** How many e-mails go out from the domain on each day while receivers get to know it. */
export function WarmUp({ domain: { domain_id: id, domain: name, warm_up } }: { domain: SendingDomain }) {
  const { api, can } = useShop();
  const format = useFormat();
  const act = useAct();
  const [planning, setPlanning] = useState(false);
  const change = (plan: Plan | null) =>
    ok(api.PATCH('/sending-domains/{id}', { params: { path: { id } }, body: { warm_up: plan } }));
  return (
    <div className={css.warmUp}>
      <div className={css.title}>
        <h3>{t('warm_up.title')}</h3>
        {can('marketing:write') ? (
          <span className={css.actions}>
            <Button
              size="xs"
              variant="default"
              onClick={() => setPlanning(true)}
              aria-label={t(warm_up === null ? 'warm_up.plan.of' : 'warm_up.change.of', { name })}
            >
              {t(warm_up === null ? 'warm_up.plan' : 'warm_up.change')}
            </Button>
            {warm_up === null ? null : (
              <Button
                size="xs"
                variant="default"
                onClick={() => void act(() => change(null), t('form.saved'))}
                aria-label={t('warm_up.end.of', { name })}
              >
                {t('warm_up.end')}
              </Button>
            )}
          </span>
        ) : null}
      </div>
      <p className="dim">{t('warm_up.help')}</p>
      {warm_up === null ? null : (
        <SmallTable
          caption={t('warm_up.title')}
          rows={warm_up.days}
          keyOf={(one) => one.day}
          empty={t('list.none.title')}
          columns={[
            { title: t('warm_up.day'), cell: (one) => <Day on={one.day} /> },
            { title: t('warm_up.messages'), right: true, cell: (one) => format.number(one.messages) },
            { title: t('warm_up.handed_over'), right: true, cell: (one) => format.number(one.handed_over) },
          ]}
        />
      )}
      {planning ? <PlanDialog current={warm_up} save={change} onClose={() => setPlanning(false)} /> : null}
    </div>
  );
}

interface PlanDialogProps {
  current: Plan | null;
  save(plan: Plan): Promise<unknown>;
  onClose(): void;
}

function PlanDialog({ current, save, onClose }: PlanDialogProps) {
  const { company } = useShop();
  const today = dayIn(company.time_zone);
  const end = new Date(Date.parse(today) + (USUAL_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const { starts_on, ends_on, messages, growth } = current ?? {
    starts_on: today,
    ends_on: end,
    messages: 50,
    growth: 1.5,
  };
  return (
    <FormDialog<Plan>
      title={t('warm_up.plan')}
      text={t('warm_up.plan.text')}
      fields={[
        { name: 'starts_on', label: t('warm_up.starts_on'), type: 'day', required: true, half: true },
        { name: 'ends_on', label: t('warm_up.ends_on'), type: 'day', required: true, half: true },
        { name: 'messages', label: t('warm_up.first_day'), type: 'number', required: true, half: true },
        {
          name: 'growth',
          label: t('warm_up.growth'),
          type: 'number',
          precise: true,
          required: true,
          half: true,
          help: t('warm_up.growth.help'),
        },
      ]}
      initial={{ starts_on, ends_on, messages: String(messages), growth: String(growth) }}
      submit={t('action.save')}
      save={save}
      done={t('form.saved')}
      onClose={onClose}
    />
  );
}
