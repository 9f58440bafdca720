import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { preview } from '../../templates/Form.tsx';
import { useTemplate } from '../../templates/queries.ts';

/** A preview of the chosen template; the step's own subject replaces the template's. */
export function TemplatePreview({ id, subject, path }: { id: number; subject: string | undefined; path: string }) {
  const { data } = useTemplate(id);
  if (data === undefined) return null;
  return (
    <div className="stack">
      <Anchor path={path}>{t('builder.template.open', { name: data.name })}</Anchor>
      {preview({
        channel: data.channel,
        content: data.content,
        subject: subject ?? data.subject ?? '',
        preview_text: data.preview_text ?? '',
      })}
    </div>
  );
}
