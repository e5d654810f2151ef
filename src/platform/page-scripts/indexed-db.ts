export function requestResult<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => {
      event.preventDefault();
      reject(request.error);
    };
  });
}

export function completion(transaction: IDBTransaction): Promise<unknown> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error ?? new Error("A transaction was aborted"));
  });
}

export function isNamed(error: unknown, ...names: string[]): boolean {
  return error instanceof DOMException && names.includes(error.name);
}
