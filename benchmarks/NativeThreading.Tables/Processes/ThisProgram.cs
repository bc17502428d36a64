namespace NativeThreading.Tables.Processes;

/// <summary>How this program starts itself once more: as it was started, by itself or by the <c>dotnet</c> host.</summary>
internal static class ThisProgram
{
    public static string Path => Environment.ProcessPath!;

    /// <summary>The arguments of the new process, for <see cref="Path"/>.</summary>
    public static string[] With(params string[] arguments) =>
        System.IO.Path.GetFileNameWithoutExtension(Path) == "dotnet" ? [typeof(ThisProgram).Assembly.Location, .. arguments] : arguments;
}
