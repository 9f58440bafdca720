import { Button, NativeSelect, TextInput } from '@mantine/core';
import { t, tOf } from '../../../i18n/i18n.ts';
import type { SocialLink } from './document.ts';
import css from './editor.module.css';

const NETWORKS = [
  ...['facebook', 'instagram', 'tiktok', 'youtube', 'x', 'linkedin', 'pinterest', 'whatsapp', 'threads', 'website'],
];

/** Links to profiles, each with its network. `what` identifies the edited field. */
export function SocialFields(props: { links: SocialLink[]; onChange(what: string, links: SocialLink[]): void }) {
  const { links, onChange } = props;
  return (
    <div className={css.fields}>
      {links.map((link, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: links have no other name, and change places only by removal
        <fieldset key={i} className={css.item}>
          <legend>{t('editor.social.link', { n: i + 1 })}</legend>
          <NativeSelect
            size="xs"
            label={t('editor.social.network')}
            value={link.network}
            data={NETWORKS.map((value) => ({ value, label: tOf('editor.network', value) }))}
            onChange={(event) => onChange('', links.with(i, { ...link, network: event.currentTarget.value }))}
          />
          <TextInput
            size="xs"
            label={t('editor.url')}
            maxLength={2_000}
            value={link.url}
            onChange={(event) => onChange(`link${i}`, links.with(i, { ...link, url: event.currentTarget.value }))}
          />
          <Button size="compact-sm" variant="default" onClick={() => onChange('', links.toSpliced(i, 1))}>
            {t('editor.remove')}
          </Button>
        </fieldset>
      ))}
      {links.length < 10 ? (
        <Button
          variant="default"
          size="xs"
          onClick={() => onChange('', [...links, { network: 'instagram', url: 'https://' }])}
        >
          {t('editor.social.add')}
        </Button>
      ) : null}
    </div>
  );
}
