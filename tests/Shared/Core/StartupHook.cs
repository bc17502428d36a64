using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using NativeThreading.Tests.Support;

/// <summary>
/// Where a child process begins: the runtime calls Initialize before Main in a process that names this assembly in
/// DOTNET_STARTUP_HOOKS. Name and shape are the runtime's.
/// </summary>
[SuppressMessage("Design", "CA1050:Declare types in namespaces", Justification = "The runtime looks for it in the global namespace.")]
internal static class StartupHook
{
    public static void Initialize()
    {
        if (Environment.GetEnvironmentVariable(ChildProcess.MethodVariable) is not { } method)
        {
            return;
        }

        string[] names = method.Split(':');
        MethodInfo main = typeof(StartupHook).Assembly.GetType(names[0], throwOnError: true)!
            .GetMethod(names[1], BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)!;
        int exitCode = main.CreateDelegate<Func<int>>()();
        if (exitCode != ChildProcess.ReturnFromMain)
        {
            Environment.Exit(exitCode);
        }
    }
}
