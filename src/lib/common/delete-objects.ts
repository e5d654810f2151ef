export async function deleteObjects(files: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await files.list({ prefix });
    if (objects.length > 0) await files.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}
