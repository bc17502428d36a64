using System.Reflection;
using System.Runtime.InteropServices;

namespace NativeThreading.Tests.Platform;

/// <summary>Every P/Invoke of the core assembly, whatever generated it.</summary>
internal static class PInvokes
{
    private const BindingFlags All =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    public static IReadOnlyList<MethodInfo> OfTheCore { get; } =
        [.. Methods.Where(method => (method.Attributes & MethodAttributes.PinvokeImpl) != 0)];

    public static IEnumerable<MethodInfo> Methods =>
        typeof(NativeThreadPool).Assembly.GetTypes().SelectMany(type => type.GetMethods(All));

    public static DllImportAttribute Import(MethodInfo method) => method.GetCustomAttribute<DllImportAttribute>()!;

    public static string EntryPoint(MethodInfo method) => Import(method).EntryPoint ?? method.Name;
}
