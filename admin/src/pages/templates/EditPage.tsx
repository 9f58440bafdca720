import './texts.ts';
import { useId } from '../../app/nav.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { Editor } from './editor/EditorPage.tsx';
import { Edit } from './Form.tsx';
import { useTemplate } from './queries.ts';

/** A template in the editor that it was made with. */
export function EditPage() {
  return (
    <Loaded query={useTemplate(useId())}>
      {(template) =>
        template.design === null ? (
          <Edit key={template.updated_at} template={template} />
        ) : (
          <Editor key={template.template_id} template={template} />
        )
      }
    </Loaded>
  );
}
