import { NativeSelect, NumberInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { ColorField, Contrast } from './ColorField.tsx';
import { DEFAULT_STYLE, type DesignStyle } from './document.ts';
import css from './editor.module.css';

const FONTS = ['Arial', 'Courier New', 'Georgia', 'Tahoma', 'Times New Roman', 'Trebuchet MS', 'Verdana'];
const COLORS = ['background', 'canvas', 'text', 'link', 'button', 'button_text'] as const;

/** Fonts, colors and width of the whole e-mail. */
export function StylePanel(props: { style: DesignStyle; onChange(what: string, patch: DesignStyle): void }) {
  const { style, onChange } = props;
  const full = { ...DEFAULT_STYLE, ...style };
  return (
    <div className={css.fields}>
      <NativeSelect
        label={t('editor.font')}
        data={FONTS}
        value={full.font}
        onChange={(event) => onChange('', { font: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('editor.heading_font')}
        data={FONTS}
        value={full.heading_font}
        onChange={(event) => onChange('', { heading_font: event.currentTarget.value })}
      />
      <NumberInput
        label={t('editor.mail_width')}
        min={400}
        max={800}
        allowDecimal={false}
        value={full.width}
        onChange={(value) => {
          if (typeof value === 'number' && value >= 400 && value <= 800) onChange('width', { width: value });
        }}
      />
      {COLORS.map((name) => (
        <ColorField
          key={name}
          label={t(`editor.color.${name}`)}
          value={style[name]}
          fallback={DEFAULT_STYLE[name]}
          onChange={(color) => onChange(name, { [name]: color })}
        />
      ))}
      <Contrast what={t('editor.color.text')} text={full.text} behind={full.canvas} />
      <Contrast what={t('editor.color.link')} text={full.link} behind={full.canvas} />
      <Contrast what={t('editor.color.button_text')} text={full.button_text} behind={full.button} />
    </div>
  );
}
