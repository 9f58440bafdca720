import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';

/** Asks for something that cannot be undone; the dialog that follows has the filled one. */
export function DangerButton(props: ButtonProps & ComponentPropsWithoutRef<'button'>) {
  return <Button variant="default" {...props} className="danger" />;
}
