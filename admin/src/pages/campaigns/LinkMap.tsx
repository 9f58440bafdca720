import { Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { PreviewFrame } from '../templates/PreviewFrame.tsx';
import css from './LinkMap.module.css';
import type { Campaign } from './queries.ts';

/** Polling interval where the live stream is missing. */
const REFRESH_MS = 30_000;

/** The e-mail with the number of clicks on its links; fetched on demand. */
export function LinkMap({ campaign }: { campaign: Campaign }) {
  const { api, company } = useShop();
  const [open, setOpen] = useState(false);
  const [variant, setVariant] = useState('');
  const { campaign_id: id, status, variants } = campaign;
  const query = useQuery({
    queryKey: [company.id, 'campaigns', id, 'link-map', variant],
    meta: { live: ['campaigns'], everyMs: 10_000 },
    enabled: open,
    placeholderData: keepPreviousData,
    refetchInterval: status === 'sending' ? REFRESH_MS : false,
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: variant === '' ? {} : { variant } };
      return ok(api.GET('/campaigns/{id}/link-map', { params, signal }));
    },
  });
  if (campaign.type !== 'email') return null;
  return (
    <Section
      title={t('campaign.map')}
      actions={
        <>
          {open && variants.length > 0 ? (
            <NativeSelect
              size="xs"
              aria-label={t('campaign.variant')}
              value={variant}
              data={[
                { value: '', label: t('campaign.map.own') },
                ...variants.map(({ key }) => ({ value: key, label: key })),
              ]}
              onChange={({ currentTarget }) => setVariant(currentTarget.value)}
            />
          ) : null}
          <Button variant="default" size="xs" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t('campaign.map.hide') : t('campaign.map.show')}
          </Button>
        </>
      }
    >
      <p className={`${css.intro} dim`}>{t('campaign.map.text')}</p>
      {open ? (
        <LoadedPart query={query}>
          {({ html, links }) => {
            const gone = links.filter(({ places }) => places === 0).length;
            return (
              <>
                {gone > 0 && html !== null ? <p className="dim">{t('campaign.map.gone', { n: gone })}</p> : null}
                {html === null ? (
                  <p>{t('campaign.map.long')}</p>
                ) : (
                  <PreviewFrame title={t('campaign.map')} html={html} />
                )}
              </>
            );
          }}
        </LoadedPart>
      ) : null}
    </Section>
  );
}
