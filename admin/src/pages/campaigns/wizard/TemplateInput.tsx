import { Button } from '@mantine/core';
import { createContext, useContext } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { Input } from '../../../ui/form/fields.tsx';
import type { InputProps } from '../../../ui/form/values.ts';

/** Leads from the form to the template editor and back; `variant` is null for the campaign's own content. */
export interface TemplateWork {
  /** Whether one of these is in progress. */
  busy: boolean;
  /** Creates a new block e-mail, which becomes the template. */
  begin(variant: string | null): void;
  open(id: number): void;
  /** Makes a copy that becomes the template, so that other users of the original keep it unchanged. */
  copy(id: number, variant: string | null): void;
}

/** null: nothing to write, as in an SMS. */
export const TemplateWorkContext = createContext<TemplateWork | null>(null);

/** The choice of a template, and the ways to write one. */
export function TemplateInput({ field, ...props }: InputProps) {
  const { custom: _custom, ...choice } = field;
  const { value } = props;
  return (
    <div className="stack">
      <Input field={{ ...choice, type: 'choice' }} {...props} />
      <TemplateButtons id={value === '' ? null : Number(value)} variant={null} />
    </div>
  );
}

export function TemplateButtons({ id, variant }: { id: number | null; variant: string | null }) {
  const work = useContext(TemplateWorkContext);
  if (work === null) return null;
  if (id === null) {
    return (
      <div>
        <Button size="xs" variant="default" disabled={work.busy} onClick={() => work.begin(variant)}>
          {t('campaign.blocks')}
        </Button>
      </div>
    );
  }
  return (
    <div className="stack">
      <div className="row">
        <Button size="xs" variant="default" disabled={work.busy} onClick={() => work.open(id)}>
          {t('campaign.template.edit')}
        </Button>
        <Button size="xs" variant="default" disabled={work.busy} onClick={() => work.copy(id, variant)}>
          {t('campaign.template.copy')}
        </Button>
      </div>
      <span className="dim">{t('campaign.template.shared')}</span>
    </div>
  );
}
