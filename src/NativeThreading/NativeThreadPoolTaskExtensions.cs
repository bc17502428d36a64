namespace NativeThreading;

/// <summary><c>Task.Run(pool, ...)</c>: the calls of <see cref="Task.Run(Action)"/> with a pool to run on. All may be made from any thread.</summary>
/// <example>
/// <code>
/// await Task.Run(pool, () =&gt; Compute());
/// </code>
/// </example>
public static class NativeThreadPoolTaskExtensions
{
    extension(Task)
    {
        /// <summary>Calls <see cref="NativeThreadPool.Run(Action, CancellationToken)"/>.</summary>
        /// <param name="pool">The pool to run on.</param>
        /// <param name="action">The action to run.</param>
        /// <param name="cancellationToken">A token that cancels the task if it has not started.</param>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <inheritdoc cref="NativeThreadPool.Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
        /// <returns>A task that completes when the function has completed, or when the token cancels it before it starts.</returns>
        public static Task Run(NativeThreadPool pool, Action action, CancellationToken cancellationToken = default)
        {
            ArgumentNullException.ThrowIfNull(pool);
            return pool.Run(action, cancellationToken);
        }

        /// <summary>Calls <see cref="NativeThreadPool.Run{TResult}(Func{TResult}, CancellationToken)"/>.</summary>
        /// <param name="pool">The pool to run on.</param>
        /// <param name="function">The function to run.</param>
        /// <param name="cancellationToken">A token that cancels the task if it has not started.</param>
        /// <typeparam name="TResult">The type of the result.</typeparam>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <inheritdoc cref="NativeThreadPool.Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
        /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
        public static Task<TResult> Run<TResult>(NativeThreadPool pool, Func<TResult> function, CancellationToken cancellationToken = default)
        {
            ArgumentNullException.ThrowIfNull(pool);
            return pool.Run(function, cancellationToken);
        }

        /// <summary>Calls <see cref="NativeThreadPool.Run(Func{Task}, CancellationToken)"/>.</summary>
        /// <param name="pool">The pool to run on.</param>
        /// <param name="function">The function to run.</param>
        /// <param name="cancellationToken">A token that cancels the operation if it has not started.</param>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <inheritdoc cref="NativeThreadPool.Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
        /// <returns>A task that completes when the function has completed, or when the token cancels it before it starts.</returns>
        public static Task Run(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken = default)
        {
            ArgumentNullException.ThrowIfNull(pool);
            return pool.Run(function, cancellationToken);
        }

        /// <summary>Calls <see cref="NativeThreadPool.Run{TResult}(Func{Task{TResult}}, CancellationToken)"/>.</summary>
        /// <param name="pool">The pool to run on.</param>
        /// <param name="function">The function to run.</param>
        /// <param name="cancellationToken">A token that cancels the operation if it has not started.</param>
        /// <typeparam name="TResult">The type of the result.</typeparam>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <inheritdoc cref="NativeThreadPool.Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
        /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
        public static Task<TResult> Run<TResult>(NativeThreadPool pool, Func<Task<TResult>> function, CancellationToken cancellationToken = default)
        {
            ArgumentNullException.ThrowIfNull(pool);
            return pool.Run(function, cancellationToken);
        }
    }
}
