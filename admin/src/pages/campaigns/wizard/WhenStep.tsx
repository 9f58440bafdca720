import { SegmentedControl } from '@mantine/core';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Section } from '../../../ui/DetailPage.tsx';
import { Input } from '../../../ui/form/fields.tsx';
import type { When } from './when.ts';

/** Now or at a time; a time is required when contacts' time zones are used. */
export function WhenStep(props: {
  when: When;
  byZones: boolean;
  readOnly: boolean;
  error: string | undefined;
  onChange(when: When): void;
}) {
  const { when, byZones, readOnly, error, onChange } = props;
  const { company } = useShop();
  return (
    <Section title={t('campaign.when')}>
      <fieldset className="stack" disabled={readOnly}>
        {byZones ? null : (
          <SegmentedControl
            aria-label={t('campaign.when')}
            disabled={readOnly}
            value={when.mode}
            data={(['now', 'later'] as const).map((value) => ({ value, label: t(`campaign.when.${value}`) }))}
            onChange={(mode) => onChange({ ...when, mode })}
          />
        )}
        {when.mode === 'now' && !byZones ? (
          <p className="dim">{t('campaign.when.now.text')}</p>
        ) : (
          <Input
            field={{
              name: 'scheduled_at',
              label: t('campaign.scheduled_at'),
              type: 'moment',
              required: true,
              ...(byZones ? { help: t('campaign.zones.ahead') } : {}),
            }}
            value={when.at}
            error={error}
            context={company}
            onChange={(at) => onChange({ mode: 'later', at: String(at) })}
          />
        )}
      </fieldset>
    </Section>
  );
}
