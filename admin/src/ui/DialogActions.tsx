import { Button } from '@mantine/core';
import { t } from '../i18n/i18n.ts';

interface DialogActionsProps {
  /** The text of the button that submits the form. */
  submit: string;
  onCancel(): void;
  loading?: boolean;
  disabled?: boolean;
  color?: 'red';
}

/** The end of a form in a dialog: a button that closes it, and one that submits it. */
export function DialogActions({ submit, onCancel, ...button }: DialogActionsProps) {
  return (
    <div className="row">
      <span className="grow" />
      <Button variant="default" onClick={onCancel}>
        {t('action.cancel')}
      </Button>
      <Button type="submit" {...button}>
        {submit}
      </Button>
    </div>
  );
}
